// Recognises the format of timestamps, for the mapping that `infer` drafts.

type Form = {
  readonly fits: RegExp;
  readonly step: unknown;
  readonly local?: boolean;
  /** Present if the form has no time of day. */
  readonly isDay?: boolean;
};

/** What the parts of a format match. A letter in quotes stands for itself. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: String.raw`(?:1[89]|20|21)\d\d`,
  MM: '(?:0[1-9]|1[0-2])',
  dd: String.raw`(?:0[1-9]|[12]\d|3[01])`,
  HH: String.raw`(?:[01]\d|2[0-3])`,
  mm: String.raw`[0-5]\d`,
  ss: String.raw`[0-5]\d`,
  SSS: String.raw`\d{3}`,
  '.': String.raw`\.`,
  "'": '',
};

/** The texts that the step `date` reads with a format. */
function formatted(format: string): Form {
  const pattern = format.replaceAll(/([A-Za-z])\1+|[.']/g, (token) => TOKENS[token] ?? token);
  return { fits: new RegExp(`^${pattern}$`), step: { date: { format, zone: 'UTC' } } };
}

const local = (format: string): Form => ({
  ...formatted(format),
  local: true,
  isDay: !format.includes('HH'),
});

/** European and American dates, and years first, with dots, slashes or hyphens. */
const DAYS = [
  ...['dd.MM.yyyy', 'dd/MM/yyyy', 'dd-MM-yyyy', 'MM/dd/yyyy', 'MM-dd-yyyy'],
  ...['yyyy/MM/dd', 'yyyy.MM.dd'],
];

const FORMS: readonly Form[] = [
  { fits: /^\/Date\(-?\d{1,15}(?:[+-]\d{4})?\)\/$/, step: 'dotnetDate' },
  {
    fits: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/,
    step: 'iso8601',
  },
  formatted("yyyyMMddHHmmss'Z'"),
  local("yyyy-MM-dd'T'HH:mm:ss"),
  local("yyyy-MM-dd'T'HH:mm:ss.SSS"),
  local("yyyy-MM-dd'T'HH:mm"),
  local('yyyy-MM-dd HH:mm:ss'),
  local('yyyy-MM-dd HH:mm'),
  local('yyyy-MM-dd'),
  local('yyyyMMdd'),
  local('yyyyMMddHHmmss'),
  local('yyyyMMddHHmmssSSS'),
  local('yyyy-MM-dd HH:mm:ss.SSS'),
  { fits: /^-?[1-9]\d{11,12}(?:\.\d+)?$/, step: 'epochMilliseconds' },
  { fits: /^-?[1-9]\d{7,9}(?:\.\d+)?$/, step: 'epochSeconds' },
  ...DAYS.flatMap((day) => [day, `${day} HH:mm`, `${day} HH:mm:ss`]).map(local),
];

/** Whether no text shows which number is the day, as 03/04/2020. */
function isAmbiguous(found: Form, texts: readonly string[]): boolean {
  const step = JSON.stringify(found.step);
  if (!/(?:dd[/-]MM|MM[/-]dd)[/-]yyyy/.test(step)) return false;
  return texts.every((text) => Number(text.slice(0, 2)) <= 12 && Number(text.slice(3, 5)) <= 12);
}

/**
 * The form of timestamps that matches most of the texts, with the share of the texts that it matches; `undefined` if none
 * matches. `local`: the texts have no time zone; `isDay`: nor a time of day. `ambiguous`: no text shows which number is the day,
 * as 03/04/2020.
 */
export function momentForm(texts: readonly string[]) {
  let best: { found: Form; fitted: readonly string[] } | undefined;
  for (const found of FORMS) {
    const fitted = texts.filter((text) => found.fits.test(text));
    if (fitted.length > (best?.fitted.length ?? 0)) best = { found, fitted };
  }
  if (best === undefined) return undefined;
  const { found, fitted } = best;
  return {
    steps: [found.step],
    local: found.local === true,
    isDay: found.isDay === true,
    ambiguous: isAmbiguous(found, fitted),
    share: fitted.length / texts.length,
  };
}
