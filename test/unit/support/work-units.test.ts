// The table of work: it has a row for everything that the engines register, and the counted work of each row grows with
// the size of its input, not with its square. Times are measured by `npm run bench -- units`.

import { describe, expect, it } from 'vitest';
import { goFunctionNames, sprigFunctionNames } from '../../../packages/go-template/function-names.ts';
import { patchCases } from '../../support/work-units/patch-cases.ts';
import { ruleCases, ruleSignatures } from '../../support/work-units/rule-cases.ts';
import { schemaCases } from '../../support/work-units/schema-cases.ts';
import { templateCases } from '../../support/work-units/template-cases.ts';
import { countUnits, type UnitCase } from '../../support/work-units/unit-case.ts';

const size = 128;
/** Units that do not depend on the size: the start of a run, and the first steps of a function. */
const start = 4000;
/** A sort takes a logarithm more. */
const perDoubling = 2.35;

const namesOf = (cases: readonly UnitCase[]): ReadonlySet<string> => new Set(cases.map(({ of }) => of));

/** Returns how the work of the row grows, if it grows too fast. */
function excessOf(row: UnitCase): string | undefined {
  const [once, twice, fourTimes] = [1, 2, 4].map(times => countUnits(row, times * size));
  const most = row.square === undefined ? perDoubling : 2 * perDoubling;
  const isLinear = [
    [once, twice],
    [twice, fourTimes],
  ].every(([before = 0, after = 0]) => after <= most * before + start);
  return isLinear ? undefined : `${row.shown} on ${row.input}: ${once}, ${twice}, ${fourTimes} units`;
}

describe('the table of work', () => {
  it('has a row for each function of templates', () => {
    expect(namesOf(templateCases)).toEqual(new Set([...goFunctionNames, ...sprigFunctionNames]));
  });

  it('has a row for each overload of rules', () => {
    const rows = namesOf(ruleCases);
    expect(ruleSignatures().filter(signature => !rows.has(signature))).toEqual([]);
  });

  it.each([
    { engine: 'templates', cases: templateCases },
    { engine: 'rules', cases: ruleCases },
    { engine: 'schemas', cases: schemaCases },
    { engine: 'patches', cases: patchCases },
  ])('counts work of $engine that grows with the size of the input', ({ cases }) => {
    const sized = cases.filter(({ isFixed }) => isFixed !== true);
    expect(sized.length).toBeGreaterThan(20);
    expect(sized.map(excessOf).filter(excess => excess !== undefined)).toEqual([]);
  });

  it('finds work that grows with the square', () => {
    const squared: UnitCase = {
      of: 'x',
      shown: 'x',
      input: 'ascii',
      prepare: length => meter => {
        meter.charge(length * length);
        return undefined;
      },
    };
    expect(excessOf(squared)).toBe('x on ascii: 16384, 65536, 262144 units');
    expect(excessOf({ ...squared, square: 'pairs' })).toBeUndefined();
  });

  it('refuses a row that does not run', () => {
    const wrong: UnitCase = { of: 'x', shown: 'x', input: 'ascii', prepare: () => () => 'wrong number of args for x' };
    expect(() => countUnits(wrong, 1)).toThrow('x on ascii: wrong number of args for x');
  });
});
