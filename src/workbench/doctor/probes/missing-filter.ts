// Looks for filters that a source has although its file does not declare them, so that `doctor` can propose them.

import type { FilterSpec } from '../../../config/schema/source.ts';
import { type Claim, claimOf, type Evidence } from '../../../source/checks/claim.ts';
import { type Ask, listPlace } from '../../../source/checks/evidence/ask.ts';
import { chooseWideFilter, type FilteredField } from '../../../source/checks/evidence/filter-values.ts';
import { type Change, concludeAt, type Finding } from '../../../source/checks/evidence/finding.ts';
import { tryFilters } from '../../../source/checks/filter.ts';
import { concludeUnlisted } from './filter-claims.ts';
import { plural } from '../../../kernel/plural.ts';
import { WHOLE_LIST } from './whole-list.ts';

/** Proposes a filter that the file does not declare, if a parameter with the source's name of the field filters exactly. */
async function proposeFilter(evidence: Evidence, parameter: FilteredField): Promise<Finding | undefined> {
  const { ask, sample } = evidence;
  const { field } = parameter;
  const from = [ask.list.map[field]?.from ?? []].flat();
  const name = /(?:^|\.)([A-Za-z_][\w-]*)$/.exec(from[0] ?? '')?.[1];
  if (name === undefined || from.length !== 1 || ask.list.request.method !== 'GET') return undefined;
  // A value that many rows have shows best whether the list without the filter lacks rows.
  const value = chooseWideFilter(sample.records, parameter, 'eq');
  if (value === undefined || !sample.complete) return undefined;
  const query = { [name]: '{value}' };
  const filters = [value];
  const exact: FilterSpec = { query, exactness: 'exact' };
  const reader = ask.open({ filters, declared: { [field]: { eq: exact } } });
  if (reader === undefined) return undefined;
  const tried = await tryFilters(evidence, reader, {
    filters,
    kind: 'that many rows have',
    callsMax: evidence.callsMax,
  });
  const { found, extra, missing, torn, unlisted, shown } = tried;
  if (unlisted > 0 && extra.length === 0)
    return concludeUnlisted(ask, [{ field, op: 'eq' }])(
      'differs',
      `with the parameter ${name}, ${plural(unlisted, 'row')} came that the list without it does not have`,
      WHOLE_LIST,
      shown,
    );
  const narrows = found.records.length > 0 && found.records.length < sample.records.length;
  if (!narrows || extra.length > 0 || missing !== 0 || torn !== undefined) return undefined;
  const at = listPlace(ask, 'filters', field, 'eq');
  const line = (exactness: 'exact' | 'superset'): Change => ({
    sets: [{ at, value: { query, exactness } }],
    text: `filters: { ${field}: { eq: { query: { ${name}: '{value}' }, exactness: ${exactness} } } }`,
  });
  // Some services let a record without the value match every value. Only such a record shows that the filter leaves it out.
  const isUnsetSeen = sample.records.some((record) => (record[field] ?? null) === null);
  return concludeAt(`filter ${field} eq`, 'no filter is declared', listPlace(ask, 'filters'))(
    'noted',
    `the parameter ${name} leaves just the matching rows of one value`,
    { tries: isUnsetSeen ? [line('exact'), line('superset')] : [line('superset')] },
  );
}

/** Claims for filters that the source may have, although the file does not declare them. */
export function missingFilterClaims({ resource, list }: Ask): readonly Claim[] {
  return resource.filters
    .filter(({ field, op }) => op === 'eq' && list.filters[field]?.[op] === undefined)
    .map((one) => claimOf(`filter ${one.field} eq`, (evidence) => proposeFilter(evidence, one)));
}
