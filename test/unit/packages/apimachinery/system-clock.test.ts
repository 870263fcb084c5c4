import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../packages/apimachinery/system-clock.ts';

describe('the clock of the machine', () => {
  it('never goes back while it sleeps, and treats a negative time as zero', async () => {
    const before = systemClock.now();
    await systemClock.sleep(-1000);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  });

  it('stops sleeping when the signal aborts', async () => {
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort())).resolves.toBeUndefined();
  });

  it('rethrows errors other than an abort', async () => {
    const signal = { aborted: false } as AbortSignal; // timers do not accept this signal
    await expect(systemClock.sleep(0, signal)).rejects.toThrow(TypeError);
  });
});
