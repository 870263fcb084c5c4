import { describe, expect, it } from 'vitest';
import { resolveIntOrPercent } from '../../../../shared/machine-collections/int-or-percent.ts';

const notAPercentage = 'invalid value for IntOrString: invalid type: string is not a percentage';

describe('a number or a percentage', () => {
  it.each([
    { value: 3, result: 3 },
    { value: '50%', result: 3 },
    { value: '100%', result: 5 },
    { value: '29%', result: 2, total: 100, of: 'exact shares' },
    { value: '%', error: notAPercentage },
    { value: '5', error: notAPercentage },
    { value: '5%x', error: notAPercentage },
    { value: 'x5%', error: notAPercentage },
    { value: '-5%', error: notAPercentage },
    { value: 1.5, error: notAPercentage },
    { value: {}, error: notAPercentage },
    { value: undefined, error: 'nil value for IntOrString' },
    { value: null, error: 'nil value for IntOrString' },
  ])('$value of 5, rounded up', ({ value, result, error }) => {
    expect(resolveIntOrPercent(value, 5, Math.ceil)).toEqual(
      error === undefined ? { ok: true, value: result } : { ok: false, error },
    );
  });

  it('is computed without loss for every percentage', () => {
    for (let percent = 0; percent <= 100; percent += 1) {
      const exact = resolveIntOrPercent(`${percent}%`, 100, Math.ceil);
      expect(exact).toEqual({ ok: true, value: percent });
      expect(resolveIntOrPercent(`${percent}%`, 100, Math.floor)).toEqual(exact);
    }
  });
});
