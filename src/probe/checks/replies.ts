import { explainReplies } from '../../adapter/read/explain-reply.ts';
import { contentTypesOf } from '../../config/fixture/content-types.ts';
import { callAt, type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import type { ProbeWalk } from '../resource/probe-walk.ts';
import { type Baseline, idsOf, listPlace, unfilteredList, sameIds } from '../resource/baseline.ts';

/** A parameter that no source knows. */
const UNKNOWN = { 'portico-doctor': '1' };

/** Above this share of unreadable values, the steps are wrong and not the data. */
const UNREADABLE_SHARE = 0.1;

/** In fewer rows than these, an optional field may be missing by chance. */
const ROWS_CONCLUSIVE = 20;

/** The most unreadable values of a field that a finding shows. */
const VALUES_REPORTED = 5;

async function probeUnknown(session: ProbeSession, { first, change }: Baseline): Promise<Finding> {
  const conclude = claimAt('unknown parameter', '', listPlace(session, 'request'));
  const reader = unfilteredList(session, { ...change, query: UNKNOWN });
  const exchange = await reader.ask(callAt(session, reader, 0, change.size));
  if (exchange.value === undefined) return conclude('noted', `refused: ${describeExchange(exchange)}`);
  const known = idsOf(first).slice(0, idsOf(exchange).length);
  return sameIds(idsOf(exchange), known)
    ? conclude('noted', 'ignored: the source does not notice a wrong name of a parameter')
    : conclude('noted', 'answered with other rows');
}

function judgeType(session: ProbeSession, { first }: Baseline): Finding {
  const { decode } = session.spec;
  const header = first.reply.header('content-type') ?? '';
  const mediaType = /^[\w.+-]+\/[\w.+-]+/.exec(header)?.[0] ?? 'none';
  const charset = /charset="?([\w.:-]{1,40})/i.exec(header)?.[1];
  const conclude = claimAt('content type', `replies are ${contentTypesOf(decode).join(' or ')}`, ['decode']);
  const own = decode.charset?.toLowerCase();
  if (own !== undefined && charset !== undefined && charset.toLowerCase() !== own)
    return conclude('noted', `${mediaType}; the source says ${charset}, the file says ${own}`);
  if (charset !== undefined || own !== undefined)
    return conclude('agrees', `${mediaType}, ${charset ?? own ?? ''}`);
  return conclude('agrees', `${mediaType}, with no character set: read as UTF-8`);
}

/** Some of the values that could not be read, as they stand in the source; none unless values may be displayed. */
function unreadableValues(
  { resource, spec, showValues }: ProbeSession,
  { steps }: ProbeWalk,
  field: string,
): string {
  const explainer = showValues ? explainReplies(spec, resource, 'list') : undefined;
  if (explainer === undefined) return '';
  const found = steps.flatMap(({ exchange, rows }) =>
    rows.records.flatMap(({ id, [field]: value }) => {
      if (value !== null || exchange.reply.body.length === 0) return [];
      const provenance = explainer.record(exchange.reply, id)?.find((one) => one.field === field);
      return provenance?.state === 'unreadable' ? [JSON.stringify(provenance.found)] : [];
    }),
  );
  const some = [...new Set(found)].slice(0, VALUES_REPORTED);
  return some.length === 0 ? '' : `, such as ${some.join(', ')}`;
}

/** What the mapping made of the rows that were read, field by field. */
function judgeFields(
  session: ProbeSession,
  sample: ProbeWalk,
  gaps: ReadonlyMap<string, number>,
): readonly Finding[] {
  const { records } = sample;
  const rows = records.length;
  if (rows === 0) return [];
  return session.resource.itemFields.flatMap(({ name, kind }): Finding[] => {
    const mapping = session.list.map[name];
    if (kind === 'id' || mapping === undefined || mapping.from.length === 0) return [];
    const at = listPlace(session, 'map', name);
    const conclude = claimAt(`field ${name}`, `every row has ${name}, as it is read here`, at);
    const [missing, unreadable] = ['missing', 'unreadable'].map(
      (reason) => gaps.get(`${name} ${reason}`) ?? 0,
    ) as [number, number];
    const some = unreadable === 0 ? '' : unreadableValues(session, sample, name);
    const unknown = records.filter((record) => (record[name] ?? null) === null).length;
    const share = (count: number) => `${count} of ${counted(rows, 'row')}`;
    if (missing >= rows)
      return [
        conclude(
          rows < ROWS_CONCLUSIVE ? 'could not tell' : 'differs',
          `there is nothing at its path in ${share(rows)}`,
          {
            hint: `map.${name}: the path; null, if the source has nothing of the kind`,
          },
        ),
      ];
    if (unreadable > rows * UNREADABLE_SHARE)
      return [
        conclude('differs', `it cannot be read in ${share(unreadable)}${some}`, {
          hint: `map.${name}: the steps under \`as\`: format, zone, codes, signs`,
        }),
      ];
    if (unknown === 0) return [conclude('agrees', `it is there in ${share(rows)}`)];
    const parts = [
      `unknown in ${share(unknown)}`,
      ...(missing > 0 ? [`${missing} without it`] : []),
      ...(unreadable > 0 ? [`${unreadable} unreadable${some}`] : []),
    ];
    return [conclude('noted', parts.join(', '))];
  });
}

/** Probes what replies look like, and what the mapping makes of their rows. */
export function replyProbes(
  session: ProbeSession,
  baseline: Baseline,
  sample: ProbeWalk,
  gaps: ReadonlyMap<string, number>,
): readonly Probe[] {
  return [
    { name: 'content type', run: () => judgeType(session, baseline) },
    { name: 'fields', run: () => judgeFields(session, sample, gaps) },
    { name: 'unknown parameter', run: () => probeUnknown(session, baseline) },
  ];
}
