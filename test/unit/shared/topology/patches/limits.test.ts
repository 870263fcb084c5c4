import { describe, expect, it } from 'vitest';
import { valid } from '../../../../../shared/api/checked.ts';
import { attempt, beyond, guarded } from '../../../../../shared/topology/patches/limits.ts';

describe('work on patches', () => {
  it('that meets a limit ends with an error that can be told', () => {
    const meets = (): never => {
      throw beyond('too much');
    };
    expect(guarded(meets)).toEqual({ ok: false, error: 'limit exceeded: too much' });
    expect(guarded(meets, 'here')).toEqual({ ok: false, error: 'limit exceeded: too much (here)' });
    expect(attempt(meets)).toEqual({ ok: false, error: 'limit exceeded: too much' });
  });

  it('that goes well comes to what it made', () => {
    expect(guarded(() => valid(1))).toEqual({ ok: true, value: 1 });
    expect(attempt(() => undefined)).toEqual({ ok: true, value: undefined });
  });

  it('does not hide a defect', () => {
    const fails = (): never => {
      throw new TypeError('not a function');
    };
    expect(() => guarded(fails)).toThrow(TypeError);
  });
});
