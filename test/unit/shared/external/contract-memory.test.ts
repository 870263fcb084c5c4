import { expect, it } from 'vitest';
import { ContractMemory, rememberedMs } from '../../../../shared/external/contract-memory.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const v1 = { contract: 'v1beta1', version: 'v1' } as const;
const v2 = { contract: 'v1beta2', version: 'v2' } as const;

it.each([
  { reason: 'in the same pass', at: now, found: v1 },
  { reason: 'shortly before its end', at: now + rememberedMs - 1, found: v1 },
  { reason: 'no longer after a minute', at: now + rememberedMs, found: undefined },
  { reason: 'not by a clock that was set back', at: now - 1, found: undefined },
])('knows a contract $reason', ({ at, found }) => {
  const memory = new ContractMemory();
  memory.at(now).remember('foos.example.com', v1);
  expect(memory.at(at).find('foos.example.com')).toEqual(found);
  expect(memory.at(at).find('bars.example.com')).toBeUndefined();
});

it('replaces and forgets contracts', () => {
  const memory = new ContractMemory();
  memory.at(now).remember('foos.example.com', v1);
  memory.at(now + rememberedMs - 1).remember('foos.example.com', v2);
  const later = memory.at(now + rememberedMs);
  expect(later.find('foos.example.com')).toEqual(v2);
  later.forget('foos.example.com');
  expect(later.find('foos.example.com')).toBeUndefined();
});

it('keeps the latest 500', () => {
  const recent = new ContractMemory().at(now);
  const nameOf = (index: number) => `foos${index}.example.com`;
  for (let index = 0; index < 500; index += 1) {
    recent.remember(nameOf(index), v1);
  }
  recent.remember(nameOf(0), v1);
  recent.remember(nameOf(500), v1);
  expect([0, 1, 2, 500].map(index => recent.find(nameOf(index)))).toEqual([v1, undefined, v1, v1]);
});
