// A scenario with timers reaches the recorded states at each start time. The due times of timers are on an absolute grid,
// so the start time decides how late a timer fires.
import { beforeAll, expect, it } from 'vitest';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';
import { describeCorpus, readResult, readScenarios } from './corpus.ts';
import { type CorpusCode, loadCorpusCode } from './corpus-code.ts';
import { unexpected } from './exceptions.ts';
import { playScenario } from './player.ts';
import { firstInstant, onVirtualStage } from './virtual-stage.ts';

/** A drain has a timer of 20 s, whose grid has a step of 25 s. Each commit takes a fifth of the seconds. */
const rotation = rotationOf(5);
const starts = itemsOf(
  Array.from({ length: 25 }, (_, second) => firstInstant + second * 1000),
  rotation,
);
const drain = 'machines/m11-drain';

describeCorpus('parity at each start time', () => {
  let code: CorpusCode;

  beforeAll(async () => {
    code = await loadCorpusCode();
  });

  it.each(readScenarios().filter(({ folder }) => folder === drain))('$folder: $title', async scenario => {
    const played = { name: scenario.id, isFamily: code.isFamily(scenario) };
    const recorded = readResult(scenario);
    console.log(describeRotation('Start times', rotation));
    const failed: unknown[] = [];
    for (const start of starts) {
      const { result, defects } = await onVirtualStage(played, stage => playScenario(scenario, stage, code), start);
      const differences = unexpected(scenario, code.compare(recorded, result));
      failed.push(
        ...[...differences, ...defects].map(difference => ({ start: new Date(start).toISOString(), difference })),
      );
    }
    expect(failed).toEqual([]);
  });
});
