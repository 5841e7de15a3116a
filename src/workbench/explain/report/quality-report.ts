// Reports which fields of a source are missing or cannot be read, for `portico quality`.

import { PROOF } from '../../../source/adapter/spec/capability.ts';
import type { ResourceQuality } from '../../../pipeline/quality.ts';
import type { FieldQuality, ViewQuality } from '../../../pipeline/field-statistics.ts';
import type { LiveQuality, Shape } from '../quality-live.ts';
import { placeText, type Report, type ReportBlock } from './report.ts';

/** How many shapes are displayed for one field; `--json` has them all. */
const SHAPES_SHOWN = 3;

const HEADINGS = { list: 'lists', details: 'details of rows', get: 'single records' };

const HEAD = ['field', 'null', 'missing', 'unreadable', 'from'];

/** A number of records, with its share of all records. */
function share(number: number, all: number): string {
  if (number === 0 || all === 0) return String(number);
  const percent = (number / all) * 100;
  return `${number} (${percent < 0.1 ? '<0.1' : percent.toFixed(1)} %)`;
}

function fromText({ from, line }: FieldQuality): string {
  if (from.length === 0) return 'not mapped';
  return `${from.join(', ')}${line === undefined ? '' : `  line ${line}`}`;
}

function stepLines({ field, steps }: FieldQuality, shapes: readonly Shape[]): readonly string[] {
  const unread = Object.entries(steps).map(([step, count]) => `${field}: ${step} could not read ${count}`);
  const forms = shapes
    .slice(0, SHAPES_SHOWN)
    .map(({ shape, count }) => `${field}: looks like ${shape}, ${count} times`);
  return [...unread, ...forms];
}

function viewBlock(
  { view, records, dropped, totalsLost, fields }: ViewQuality,
  shapes: readonly Shape[],
): ReportBlock {
  const left = dropped === 0 ? '' : `, ${share(dropped, records)} left out because they have no id`;
  const lost = totalsLost === 0 ? '' : `; the total of ${totalsLost} replies could not be read`;
  const heading = `${HEADINGS[view]}: ${records} records read${left}${lost}`;
  if (records === 0) return heading;
  const rows = fields.map((field) => [
    field.field,
    share(field.null, records),
    share(field.missing, records),
    share(field.unreadable, records),
    fromText(field),
  ]);
  const unread = fields.flatMap((field) =>
    stepLines(
      field,
      shapes.filter((shape) => shape.view === view && shape.field === field.field),
    ),
  );
  return { heading, blocks: [{ head: HEAD, table: rows }, ...unread] };
}

function singleRecordLines({ asked, notFound, failed }: LiveQuality['single']): readonly string[] {
  if (asked === 0 || notFound + failed === 0) return [];
  return [
    `of ${asked} records of the list asked for one by one, ${notFound} were not found and ${failed} failed`,
  ];
}

function resourceBlock(quality: ResourceQuality | LiveQuality): ReportBlock {
  const live = 'single' in quality ? quality : undefined;
  const blocks = [
    ...quality.views.map((view) => viewBlock(view, live?.shapes ?? [])),
    ...quality.contradicted.map((one) =>
      one.detail === undefined
        ? `contradicted, and ${one.claim === PROOF ? 'no answers until it holds' : 'switched off'}: ${one.claim}  ${placeText(one)}  at ${one.at}`
        : `ALARM: ${one.claim}  ${placeText(one)}  since ${one.at}: ${one.detail}; ` +
          `\`portico claims reset ${quality.source} ${one.claim}\` accepts it`,
    ),
    ...quality.invalidReplies.map(
      ({ reason, count, last }) =>
        `unusable replies: ${reason} ${count}, the last at ${last.at}: ${last.detail}`,
    ),
    ...(live === undefined ? [] : singleRecordLines(live.single)),
    ...(live?.problem === undefined ? [] : [`not all of it could be read: ${live.problem}`]),
  ];
  return { heading: `${quality.resource}: ${quality.source} (${quality.file})`, blocks };
}

/** Reports the quality of resources. */
export function qualityReport(sources: readonly (ResourceQuality | LiveQuality)[]): Report {
  const blocks = sources.flatMap((one, index) => [...(index === 0 ? [] : ['']), resourceBlock(one)]);
  return { json: { sources }, blocks };
}
