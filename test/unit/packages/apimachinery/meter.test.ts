import { describe, expect, it } from 'vitest';
import { WorkLimitError, WorkMeter } from '../../../../packages/apimachinery/meter.ts';

const bound = (units: number, what = 'rules') => ({ units, what, remedy: 'use fewer' });

describe('a meter', () => {
  it('accepts exactly its units, and names the bound and the remedy beyond', () => {
    const meter = new WorkMeter(bound(10));
    meter.charge(4);
    meter.charge(6);
    expect([meter.spent, meter.left]).toEqual([10, 0]);
    expect(() => meter.charge(0.5)).toThrow(new WorkLimitError(bound(10)).message);
    expect(new WorkLimitError(bound(10)).message).toBe(
      'limit exceeded: rules take more than 10 units of work: use fewer',
    );
    expect(meter.left).toBe(0);
  });

  it('refuses every later charge', () => {
    const meter = new WorkMeter(bound(10));
    expect(() => meter.charge(11)).toThrow(WorkLimitError);
    expect(() => meter.charge(0)).toThrow(WorkLimitError);
  });

  it('charges the whole for its parts', () => {
    const whole = new WorkMeter(bound(10, 'all rules'));
    const [one, other] = [whole.part(bound(8)), whole.part(bound(8))];
    one.charge(6);
    expect(() => other.charge(6)).toThrow('all rules take more than 10 units');
    expect(whole.spent).toBe(12);
  });

  it('keeps what a part may not spend for the others', () => {
    const whole = new WorkMeter(bound(10, 'all rules'));
    expect(() => whole.part(bound(3)).charge(100)).toThrow('rules take more than 3 units');
    expect(whole.left).toBe(10);
  });
});
