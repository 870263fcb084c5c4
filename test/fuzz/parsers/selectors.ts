// Label selectors of objects, and the labels and fields that they select.
import {
  type LabelSelector,
  matchesFields,
  matchesLabels,
  selectorProblem,
  toPrintedSelector,
  toSelectorText,
} from '@capi-serverless/apimachinery';
import { countWork } from '../../support/counted-work.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', '0', '.', '-', '_', '/', 'é', '\u0000'), maxLength: 12 }),
  fc.nat({ max: 2000 }).map(length => 'a-'.repeat(length)),
  fc.constantFrom('__proto__', 'constructor', 'app.kubernetes.io/name'),
);
const requirement = fc.record({
  key: text,
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', ''),
  values: fc.array(text, { maxLength: 5 }),
});
const selector = fc.record({
  matchLabels: fc.dictionary(text, text, { maxKeys: 5 }),
  matchExpressions: fc.array(requirement, { maxLength: 5 }),
});
const labels = fc.dictionary(text, text, { maxKeys: 5 });

const scannedPerCharacter = 60;

function check(selecting: LabelSelector, given: Readonly<Record<string, string>>): void {
  const size = JSON.stringify([selecting, given]).length;
  const { scanned } = countWork(() => {
    if (selectorProblem(selecting) === undefined && toSelectorText(selecting).length > 3 * size + 100) {
      throw new Error('the printed selector is larger than the selector');
    }
    toPrintedSelector(selecting);
    matchesLabels(selecting, given);
    matchesFields({ metadata: given }, given);
  });
  if (scanned > scannedPerCharacter * size + 10_000) {
    throw new Error(`${size} characters are scanned as ${scanned}`);
  }
}

export const parser: FuzzedParser = { name: 'selectors', property: fc.property(selector, labels, check) };
