import { describe, expect, it } from 'vitest';
import { createResponseMemory } from '../../../../shared/runtime-hooks/memory.ts';
import { SteppedClock } from '../../../support/stepped-clock.ts';

const response = { status: 'Success', message: '' };

describe('the response cache of a process', () => {
  it('holds 200 responses, and drops the oldest', () => {
    const memory = createResponseMemory(new SteppedClock());
    memory.set('0', response);
    memory.set('1', response);
    memory.set('0', response);
    for (let number = 2; number <= 200; number += 1) {
      memory.set(String(number), response);
    }
    expect(['0', '1', '2', '200'].map(key => memory.get(key) !== undefined)).toEqual([true, false, true, true]);
  });
});
