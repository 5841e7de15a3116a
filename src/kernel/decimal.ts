const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/;
/** Longer texts are refused, because parsing takes more than linear time in the digits. */
const LENGTH_MAX = 10_000;
/** If the scales of two numbers differ by more, they are compared without bringing them to one power of ten. */
const SCALES_APART_MAX = 40;

/**
 * An exact decimal number, because a binary float would change amounts of money: `digits × 10^-scale`. It keeps the digits that
 * it was given, so 19.90 prints as 19.90.
 */
export class Decimal {
  readonly digits: bigint;
  /** Digits after the point, 0 or more. */
  readonly scale: number;
  #split: { readonly scale: number; readonly whole: bigint; readonly rest: bigint } | undefined;

  constructor(digits: bigint, scale: number) {
    this.digits = digits;
    this.scale = scale;
  }

  /** Reads plain notation (`-12.50`; no exponent, no plus, no lone point); `undefined` for anything else. */
  static parse(text: string): Decimal | undefined {
    const match = text.length > LENGTH_MAX ? null : PLAIN.exec(text);
    if (match === null) return undefined;
    const [, sign = '', whole = '', fraction = ''] = match;
    return new Decimal(BigInt(sign + whole + fraction), fraction.length);
  }

  /** Reads a number as JSON writes it, an exponent of at most ±100 included; `undefined` for anything else. */
  static parseJson(text: string): Decimal | undefined {
    const [mantissa = '', exponent = '0', more] = text.split(/[eE]/);
    if (more !== undefined || !/^[+-]?\d{1,3}$/.test(exponent) || Math.abs(Number(exponent)) > 100)
      return undefined;
    return Decimal.parse(mantissa)?.shifted(-Number(exponent));
  }

  /** The number with the point moved `places` to the left: 1999 moved by 2 is 19.99, moved by -1 it is 19990. */
  shifted(places: number): Decimal {
    const scale = this.scale + places;
    return scale >= 0 ? new Decimal(this.digits, scale) : new Decimal(this.digits * 10n ** BigInt(-scale), 0);
  }

  /** Negative, zero or positive, as for `Array.sort`. 1.5 and 1.50 are equal. */
  compare(other: Decimal): number {
    const apart = this.scale - other.scale;
    // A caller chooses the scale of a filter's bound, and every row is compared with it, so this must stay cheap.
    if (Math.abs(apart) > SCALES_APART_MAX)
      return apart > 0 ? this.compareFiner(other) : -other.compareFiner(this);
    const difference =
      this.digits * 10n ** BigInt(Math.max(0, -apart)) - other.digits * 10n ** BigInt(Math.max(0, apart));
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }

  /** Lets `JSON.stringify` write the exact digits as a JSON number. */
  toJSON(): unknown {
    return JSON.rawJSON(this.toString());
  }

  /** Plain notation, valid as a JSON number. */
  toString(): string {
    const text = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const sign = this.digits < 0n ? '-' : '';
    if (this.scale === 0) return sign + text;
    return `${sign}${text.slice(0, -this.scale)}.${text.slice(-this.scale)}`;
  }

  /** Plain notation without zeros at the end of the fraction, so equal numbers have equal texts. */
  shortest(): string {
    const text = this.toString();
    let end = text.length;
    // A pattern such as /0+$/ is quadratic on a long run of zeros.
    if (this.scale > 0) while (text[end - 1] === '0') end -= 1;
    if (text[end - 1] === '.') end -= 1;
    return text.slice(0, end);
  }

  /** Compares with a number that has fewer digits after the point. The further digits only break a tie. */
  private compareFiner(coarser: Decimal): number {
    const { whole, rest } = this.splitAt(coarser.scale);
    if (whole !== coarser.digits) return whole < coarser.digits ? -1 : 1;
    return rest < 0n ? -1 : rest > 0n ? 1 : 0;
  }

  /** The number cut to `scale` digits after the point, and the digits cut off; kept for the next comparison. */
  private splitAt(scale: number): { readonly whole: bigint; readonly rest: bigint } {
    if (this.#split?.scale !== scale) {
      const unit = 10n ** BigInt(this.scale - scale);
      this.#split = { scale, whole: this.digits / unit, rest: this.digits % unit };
    }
    return this.#split;
  }
}
