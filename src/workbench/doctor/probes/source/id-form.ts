// When doctor finds that a source fails for an id that it cannot have, or takes only numbers as ids, these advise the
// `id.form` that its file should state.

import { INTEGER_FORMS } from '../../../../source/adapter/map/native-id.ts';
import type { Evidence } from '../../../../source/checks/claim.ts';
import { idPlace } from '../../../../source/checks/evidence/ask.ts';
import { setting } from '../../../../source/checks/evidence/finding.ts';

/** Forms that the ids of a source may all have, the narrowest first. */
const FORMS = [
  '\\d+',
  '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  '[0-9a-f]+',
  '[a-z0-9]+',
  '[A-Z0-9]+',
  '[A-Za-z0-9]+',
  '[A-Za-z0-9_-]+',
];

/** The ids of the sample as the source has them. */
const nativeIds = ({ ask, sample }: Evidence): readonly string[] =>
  sample.records.map(({ id }) => id.slice(ask.resource.idStart.length));

/** Advises an `id.form` that all ids of the sample match, so that the source is asked for no other id. */
export function formAdvice(evidence: Evidence) {
  const natives = nativeIds(evidence);
  const form = FORMS.find((one) => natives.every((native) => new RegExp(`^(?:${one})$`).test(native)));
  const otherwise =
    "id: { form: '…' }, a regular expression for all of a native id, or a rule that says not_found";
  if (form === undefined) return { otherwise };
  return { ...setting(idPlace(evidence.ask, 'form'), form), otherwise };
}

/** Advises the widest integer form whose largest number the source accepts as an id. */
export async function integerFormAdvice(evidence: Evidence) {
  const { ask } = evidence;
  const { idStart } = ask.resource;
  const natives = nativeIds(evidence);
  if (natives.length === 0 || !natives.every((native) => /^\d{1,20}$/.test(native))) return undefined;
  for (const [form = '', largest] of [...INTEGER_FORMS].reverse()) {
    if (natives.some((native) => BigInt(native) > largest)) continue;
    const exchange = await ask.one(`${idStart}${largest}`);
    if (exchange !== undefined && exchange.problem === undefined) return setting(idPlace(ask, 'form'), form);
  }
  return undefined;
}
