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

describe('a limit that grows', () => {
  const growing = { ...bound(100), growth: { base: 10, perCharacter: 5 } };

  it('begins with its base, and grows with each character that was read', () => {
    const meter = new WorkMeter(growing);
    meter.charge(10);
    meter.read('ab');
    meter.read(['c']);
    meter.charge(20);
    expect(() => meter.charge(1)).toThrow(
      'limit exceeded: rules take more than 30 units of work, the limit for content of 4 characters: use fewer',
    );
  });

  it('grows to its maximum, whose error names no content', () => {
    const meter = new WorkMeter(growing);
    meter.read('a'.repeat(1000));
    meter.charge(100);
    expect(() => meter.charge(1)).toThrow('rules take more than 100 units of work: use fewer');
  });

  it('never exceeds its maximum', () => {
    const meter = new WorkMeter({ ...bound(5), growth: { base: 10, perCharacter: 5 } });
    expect(() => meter.charge(6)).toThrow('more than 5 units of work: use fewer');
  });

  it('measures content only if the work needs it, and once', () => {
    let reads = 0;
    const content = {
      get text() {
        reads += 1;
        return 'ab';
      },
    };
    const meter = new WorkMeter(growing);
    meter.read(content);
    meter.charge(10);
    expect([reads, meter.reaches(10)]).toEqual([0, true]);
    expect([meter.reaches(60), meter.reaches(61), reads]).toEqual([true, false, 1]);
    meter.charge(10);
    expect([meter.left, reads]).toEqual([40, 1]);
  });

  it('knows what is left with all content', () => {
    const meter = new WorkMeter(growing);
    meter.read('ab');
    meter.charge(3);
    expect(meter.left).toBe(17);
  });

  it('keeps no content if it does not grow', () => {
    const meter = new WorkMeter(bound(10));
    meter.read('ab');
    expect([meter.left, meter.reaches(10), meter.reaches(11)]).toEqual([10, true, false]);
  });
});
