// Random answers of an extension about variables. An invalid answer results in a condition, and nothing else is
// written.
import { describe, expect, it } from 'vitest';
import { aPlainClusterClass } from '../../../support/cluster-class.ts';
import { generated } from '../../../support/extent.ts';
import { hostileVariables } from '../../../support/hostile-answers.ts';
import { fc } from '../../../support/property.ts';
import { anExtension, aWorld, extensionUrl } from './reconciled-class.ts';

const answers = generated(400);
const status = 'patch ClusterClass ns/cc status';
const path = 'discovervariables/first';

describe('hostile answers about variables', () => {
  it(`do no harm: ${answers} generated ones`, async () => {
    const world = aWorld(aPlainClusterClass().discovering({ p1: 'first.ext1' }));
    world.api.given(anExtension('first'));
    await world.settle();
    let configs = 0;
    const outcomes = { ready: 0, refused: 0 };

    await fc.assert(
      fc.asyncProperty(hostileVariables, async body => {
        world.hooks.answer(extensionUrl, path, { body });
        // The generation of the ExtensionConfig differs, so the cached answer is not used.
        configs += 1;
        await world.change({ spec: { settings: { round: String(configs) } } }, extensionConfig);
        const reconciled = await world.settle();
        expect(reconciled.writes.filter(write => write !== status)).toEqual([]);
        const condition = reconciled.condition('VariablesReady') ?? '';
        if (reconciled.result === 'done') {
          outcomes.ready += 1;
          expect(condition).toBe('True/VariablesReady');
        } else {
          outcomes.refused += 1;
          expect(condition).toMatch(/^False\/VariableDiscoveryFailed VariableDiscovery failed: ./s);
          expect(condition.length).toBeLessThan(11_000);
        }
      }),
      { numRuns: answers },
    );

    expect(outcomes.ready).toBeGreaterThan(answers / 50);
    expect(outcomes.refused).toBeGreaterThan(answers / 4);
    expect(Object.prototype).not.toHaveProperty('name');
  });
});

const extensionConfig = { apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: 'ext1' };
