// Recognises the format of timestamps, for the mapping that `infer` drafts.

type Form = {
  readonly fits: RegExp;
  readonly step: unknown;
  readonly local?: boolean;
};

const date = (format: string) => ({ date: { format, zone: 'UTC' } });
const local = (fits: RegExp, format: string): Form => ({ fits, step: date(format), local: true });

const D = String.raw`(?:0[1-9]|[12]\d|3[01])`;
const M = String.raw`(?:0[1-9]|1[0-2])`;
const Y = String.raw`(?:1[89]|20|21)\d\d`;
const HM = String.raw`(?:[01]\d|2[0-3]):[0-5]\d`;
const form = (pattern: string) => new RegExp(`^${pattern}$`);

/** European and American dates, with dots, slashes or hyphens, with or without a time. */
function dayForms(separator: string, dayFirst: boolean): readonly Form[] {
  const token = `${dayFirst ? `dd${separator}MM` : `MM${separator}dd`}${separator}yyyy`;
  const escaped = separator === '.' ? '\\.' : separator;
  const pattern = dayFirst ? `${D}${escaped}${M}${escaped}${Y}` : `${M}${escaped}${D}${escaped}${Y}`;
  return [
    local(form(pattern), token),
    local(form(`${pattern} ${HM}`), `${token} HH:mm`),
    local(form(`${pattern} ${HM}:[0-5]\\d`), `${token} HH:mm:ss`),
  ];
}

const FORMS: readonly Form[] = [
  { fits: /^\/Date\(-?\d{1,15}(?:[+-]\d{4})?\)\/$/, step: 'dotnetDate' },
  {
    fits: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/,
    step: 'iso8601',
  },
  { fits: form(`${Y}${M}${D}(?:[01]\\d|2[0-3])[0-5]\\d[0-5]\\dZ`), step: date("yyyyMMddHHmmss'Z'") },
  local(form(`${Y}-${M}-${D}T${HM}:[0-5]\\d`), "yyyy-MM-dd'T'HH:mm:ss"),
  local(form(`${Y}-${M}-${D}T${HM}:[0-5]\\d\\.\\d{3}`), "yyyy-MM-dd'T'HH:mm:ss.SSS"),
  local(form(`${Y}-${M}-${D}T${HM}`), "yyyy-MM-dd'T'HH:mm"),
  local(form(`${Y}-${M}-${D} ${HM}:[0-5]\\d`), 'yyyy-MM-dd HH:mm:ss'),
  local(form(`${Y}-${M}-${D} ${HM}`), 'yyyy-MM-dd HH:mm'),
  local(form(`${Y}-${M}-${D}`), 'yyyy-MM-dd'),
  local(form(`${Y}/${M}/${D}`), 'yyyy/MM/dd'),
  local(form(`${Y}${M}${D}`), 'yyyyMMdd'),
  local(form(`${Y}${M}${D}(?:[01]\\d|2[0-3])[0-5]\\d[0-5]\\d`), 'yyyyMMddHHmmss'),
  local(form(`${Y}${M}${D}(?:[01]\\d|2[0-3])[0-5]\\d[0-5]\\d\\d{3}`), 'yyyyMMddHHmmssSSS'),
  local(form(`${Y}-${M}-${D} ${HM}:[0-5]\\d\\.\\d{3}`), 'yyyy-MM-dd HH:mm:ss.SSS'),
  { fits: /^-?[1-9]\d{11,12}(?:\.\d+)?$/, step: 'epochMilliseconds' },
  { fits: /^-?[1-9]\d{7,9}(?:\.\d+)?$/, step: 'epochSeconds' },
  ...['.', '/', '-'].flatMap((separator) => dayForms(separator, true)),
  ...['/', '-'].flatMap((separator) => dayForms(separator, false)),
];

/** Whether no text shows which number is the day, as 03/04/2020. */
function isAmbiguous(found: Form, texts: readonly string[]): boolean {
  const step = JSON.stringify(found.step);
  if (!/(?:dd[/-]MM|MM[/-]dd)[/-]yyyy/.test(step)) return false;
  return texts.every((text) => Number(text.slice(0, 2)) <= 12 && Number(text.slice(3, 5)) <= 12);
}

/**
 * The form of timestamps that matches most of the texts, with the share of the texts that it matches; `undefined` if none
 * matches. `local`: the texts have no time zone. `ambiguous`: no text shows which number is the day, as 03/04/2020.
 */
export function momentForm(texts: readonly string[]) {
  let best: { found: Form; fitting: number } | undefined;
  for (const found of FORMS) {
    const fitting = texts.filter((text) => found.fits.test(text)).length;
    if (fitting > (best?.fitting ?? 0)) best = { found, fitting };
  }
  if (best === undefined) return undefined;
  const { found, fitting } = best;
  const fitted = texts.filter((text) => found.fits.test(text));
  return {
    steps: [found.step],
    local: found.local === true,
    ambiguous: isAmbiguous(found, fitted),
    share: fitting / texts.length,
  };
}
