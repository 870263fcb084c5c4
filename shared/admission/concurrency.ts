// Checks how many worker objects may be upgraded at the same time. Reconcilers treat an invalid value as 1.
import { type FieldError, invalidValue, quote } from '@capi-serverless/apimachinery';
import { upgradeConcurrencyAnnotation } from '../topology/model/keys.ts';

const largest = 2n ** 63n - 1n;

export function problemsOfConcurrency(annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  const text = annotations[upgradeConcurrencyAnnotation];
  if (text === undefined) {
    return [];
  }
  const refuse = (why: string) => [invalidValue(`metadata.annotations.${upgradeConcurrencyAnnotation}`, text, why)];
  const unread = (why: string) =>
    refuse(`could not parse the value of the annotation: strconv.Atoi: parsing ${quote(text)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text)) {
    return unread('invalid syntax');
  }
  const number = BigInt(text.replace(/^\+/, ''));
  if (number > largest || number < -largest - 1n) {
    return unread('value out of range');
  }
  return number < 1n ? refuse('value cannot be less than 1') : [];
}
