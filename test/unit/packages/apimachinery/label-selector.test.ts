import { describe, expect, it } from 'vitest';
import {
  isEmptySelector,
  matchesLabels,
  selectorProblem,
  toSelectorText,
} from '../../../../packages/apimachinery/label-selector.ts';

type Requirement = { readonly key: string; readonly operator: string; readonly values: readonly string[] };

function selectorOf(matchLabels: Readonly<Record<string, string>>, ...matchExpressions: readonly Requirement[]) {
  const expressions = matchExpressions.map(each => ({ ...each, values: [...each.values] }));
  return { matchLabels: { ...matchLabels }, matchExpressions: expressions };
}

const of = (operator: string, ...values: readonly string[]) => ({ key: 'k', operator, values });

describe('a label selector', () => {
  it.each([
    { selector: selectorOf({}), labels: {}, matches: true, reason: 'an empty one selects everything' },
    { selector: selectorOf({ k: 'a' }), labels: { k: 'a', l: 'b' }, matches: true, reason: 'equal' },
    { selector: selectorOf({ k: 'a' }), labels: { k: 'b' }, matches: false, reason: 'another value' },
    { selector: selectorOf({ k: 'a' }), labels: {}, matches: false, reason: 'no such label' },
    { selector: selectorOf({ k: 'a', l: 'b' }), labels: { k: 'a' }, matches: false, reason: 'all labels must match' },
    { selector: selectorOf({ toString: 'a' }), labels: {}, matches: false, reason: 'not a label but inherited' },
    { selector: selectorOf({}, of('In', 'a', 'b')), labels: { k: 'b' }, matches: true, reason: 'one of them' },
    { selector: selectorOf({}, of('In', 'a')), labels: { k: 'c' }, matches: false, reason: 'none of them' },
    { selector: selectorOf({}, of('In', 'a')), labels: {}, matches: false, reason: 'In needs the label' },
    { selector: selectorOf({}, of('NotIn', 'a')), labels: { k: 'b' }, matches: true, reason: 'none of them' },
    { selector: selectorOf({}, of('NotIn', 'a')), labels: { k: 'a' }, matches: false, reason: 'one of them' },
    { selector: selectorOf({}, of('NotIn', 'a')), labels: {}, matches: true, reason: 'NotIn does not need the label' },
    { selector: selectorOf({}, of('Exists')), labels: { k: '' }, matches: true, reason: 'any value' },
    { selector: selectorOf({}, of('Exists')), labels: {}, matches: false, reason: 'not there' },
    { selector: selectorOf({}, of('DoesNotExist')), labels: {}, matches: true, reason: 'not there' },
    { selector: selectorOf({}, of('DoesNotExist')), labels: { k: '' }, matches: false, reason: 'there' },
    { selector: selectorOf({}, of('Like', 'a')), labels: { k: 'a' }, matches: false, reason: 'no operator' },
    { selector: selectorOf({ l: 'b' }, of('Exists')), labels: { k: 'a' }, matches: false, reason: 'both parts count' },
  ])('$reason: $matches', ({ selector, labels, matches }) => {
    expect(matchesLabels(selector, labels)).toBe(matches);
  });

  const empty = "for 'in', 'notin' operators, values set can't be empty";
  const full = 'values set must be empty for exists and does not exist';

  it.each([
    { selector: selectorOf({ k: 'a' }), problem: undefined },
    { selector: selectorOf({}, of('In', 'a'), of('NotIn', 'a'), of('Exists'), of('DoesNotExist')), problem: undefined },
    { selector: selectorOf({}, of('In')), problem: `values: Invalid value: null: ${empty}` },
    { selector: selectorOf({}, of('NotIn')), problem: `values: Invalid value: null: ${empty}` },
    { selector: selectorOf({}, of('Exists', 'a')), problem: `values: Invalid value: ["a"]: ${full}` },
    { selector: selectorOf({}, of('DoesNotExist', 'a')), problem: `values: Invalid value: ["a"]: ${full}` },
    { selector: selectorOf({}, of('Like', 'a')), problem: '"Like" is not a valid label selector operator' },
  ])('has the problem $problem', ({ selector, problem }) => {
    expect(selectorProblem(selector)).toBe(problem);
  });

  it('is empty without labels and expressions', () => {
    expect([selectorOf({}), selectorOf({ k: 'a' }), selectorOf({}, of('Exists'))].map(isEmptySelector)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the text of a selector', () => {
  const key = (operator: string, values: readonly string[] = []) => ({ key: 'b', operator, values });
  it.each([
    { matchLabels: {}, matchExpressions: [], text: '', reason: 'empty' },
    { matchLabels: { c: '', a: '1' }, matchExpressions: [], text: 'a=1,c=', reason: 'sorted by key' },
    { matchLabels: {}, matchExpressions: [key('In', ['y', 'x'])], text: 'b in (x,y)', reason: 'sorted values' },
    { matchLabels: {}, matchExpressions: [key('NotIn', ['x'])], text: 'b notin (x)', reason: 'excluded values' },
    { matchLabels: {}, matchExpressions: [key('Exists')], text: 'b', reason: 'any value' },
    { matchLabels: { a: '1', c: '2' }, matchExpressions: [key('DoesNotExist')], text: 'a=1,!b,c=2', reason: 'mixed' },
  ])('$text ($reason)', ({ text, ...selector }) => {
    expect(toSelectorText(selector)).toBe(text);
  });
});
