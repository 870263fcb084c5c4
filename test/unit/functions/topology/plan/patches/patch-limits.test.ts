import { valid } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { attempt, beyond, guarded } from '../../../../../../functions/topology/plan/patches/patch-limits.ts';

describe('work on patches', () => {
  it('that exceeds a limit returns an error', () => {
    const meets = (): never => {
      throw beyond('too much');
    };
    expect(guarded(meets)).toEqual({ ok: false, error: 'limit exceeded: too much' });
    expect(guarded(meets, 'here')).toEqual({ ok: false, error: 'limit exceeded: too much (here)' });
    expect(attempt(meets)).toEqual({ ok: false, error: 'limit exceeded: too much' });
  });

  it('that succeeds returns its result', () => {
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
