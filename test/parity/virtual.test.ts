// The functions reach the same state as upstream's controllers. Plays the recorded scenarios in virtual time on the
// memory API.
import { beforeAll, expect, it } from 'vitest';
import { describeCorpus, readResult, readScenarios, tellUnplayable } from './corpus.ts';
import { type CorpusCode, loadCorpusCode } from './corpus-code.ts';
import { toText } from './differences.ts';
import { unexpected } from './exceptions.ts';
import { playScenario } from './player.ts';
import { onVirtualStage } from './virtual-stage.ts';

const testFile = 'test/parity/virtual.test.ts';

describeCorpus('parity in virtual time', () => {
  let code: CorpusCode;

  tellUnplayable();

  beforeAll(async () => {
    code = await loadCorpusCode();
  });

  it.each(readScenarios())('$folder: $title', async scenario => {
    const played = { name: scenario.id, isFamily: code.isFamily(scenario) };
    const { result, defects } = await onVirtualStage(played, stage => playScenario(scenario, stage, code));
    const found = unexpected(scenario, code.compare(readResult(scenario), result));
    const differences = toText(scenario, found, testFile);
    if (differences !== '') {
      expect.fail(differences);
    }
    expect(defects).toEqual([]);
  });
});
