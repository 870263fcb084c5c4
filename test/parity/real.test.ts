// The functions reach the same state as upstream's controllers, on a real API server with upstream's definitions and
// the garbage collector of kube-controller-manager.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeReal } from '../support/describe-real.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { describeRotation, itemsOf, rotationOf } from '../support/rotation.ts';
import { connectWorldClient } from '../support/world-client.ts';
import { describeCorpus, readCorpusCrds, readResult, readScenarios, tellUnplayable } from './corpus.ts';
import { type CorpusCode, loadCorpusCode } from './corpus-code.ts';
import { toText } from './differences.ts';
import { unexpected } from './exceptions.ts';
import { playScenario } from './player.ts';
import { connectServer, functionsUser, onRealStage, type RealServer } from './real-stage.ts';

const testFile = 'test/parity/real.test.ts';

describeCorpus('parity', () => {
  describeReal(
    'parity on a real API server',
    () => {
      const rotation = rotationOf(6);
      const scenarios = itemsOf(readScenarios(), rotation);
      let code: CorpusCode;
      let server: RealServer;

      tellUnplayable();

      beforeAll(async () => {
        console.log(describeRotation('Scenarios', rotation));
        code = await loadCorpusCode();
        const plane = await startControlPlane({
          users: [{ name: functionsUser, groups: ['system:masters'] }],
          // Without the controller of ServiceAccounts, the admission of Pods would wait for them.
          apiserverFlags: ['--disable-admission-plugins=ServiceAccount'],
          beforeControllers: installKinds,
        });
        server = await connectServer(plane, { kinds: toKinds(code), countWrites: code.countWrites });
      });

      afterAll(() => server?.plane.stop());

      /** Scenarios of Machines also have objects of kinds that are not recorded. */
      function toKinds({ kinds, recordedKinds, isFamily }: CorpusCode) {
        const recorded = new Set(scenarios.flatMap(recordedKinds));
        return [...kinds.values()]
          .filter(({ kind }) => recorded.has(kind) || scenarios.some(isFamily))
          .map(({ apiVersion, kind }) => ({ apiVersion, kind }));
      }

      it.each(scenarios)('$folder: $title', async scenario => {
        const played = { name: scenario.id, isFamily: code.isFamily(scenario) };
        const { result, defects } = await onRealStage(played, server, stage => playScenario(scenario, stage, code));
        const found = unexpected(scenario, code.compare(readResult(scenario), result));
        const differences = toText(scenario, found, testFile);
        if (differences !== '') {
          expect.fail(differences);
        }
        expect(defects).toEqual([]);
      });
    },
    { needs: 'controllers' },
  );
});

async function installKinds(plane: RealControlPlane): Promise<void> {
  const { kubernetes } = await connectWorldClient(plane.kubeconfigPath('admin'));
  await installDefinitions(kubernetes, readCorpusCrds());
}
