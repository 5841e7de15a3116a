import { InvalidArgumentError } from 'commander';

/** Makes the reader of an option that is a whole number. Commander names the option in the error. */
export const wholeNumberOption = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
};
