// Random answers of an extension about its handlers. An invalid answer results in a condition, and nothing else is
// written.
import { describe, expect, it } from 'vitest';
import { anExtensionConfig } from '../../../support/extension-config.ts';
import { generated } from '../../../support/extent.ts';
import { hostileHandlers } from '../../../support/hostile-answers.ts';
import { fc } from '../../../support/property.ts';
import { aWorld } from './reconciled-extension-config.ts';

const answers = generated(400);
const status = 'patch ExtensionConfig ext1 status';

describe('hostile answers about handlers', () => {
  it(`do no harm: ${answers} generated ones`, async () => {
    const world = aWorld(anExtensionConfig());
    await world.run();
    world.takeWrites();
    const outcomes = { discovered: 0, refused: 0 };

    await fc.assert(
      fc.asyncProperty(hostileHandlers, async body => {
        world.serve({ body });
        const before = JSON.stringify(world.handlers());
        const { defect } = await world.run();
        expect(defect).toBeUndefined();
        expect(world.takeWrites().filter(write => write !== status)).toEqual([]);
        const condition = world.condition('Discovered') ?? '';
        if (condition === 'True/Discovered') {
          outcomes.discovered += 1;
        } else {
          outcomes.refused += 1;
          expect(condition).toMatch(
            /^False\/NotDiscovered Error in discovery: failed to discover extension "ext1": ./s,
          );
          expect(condition.length).toBeLessThan(11_000);
          expect(JSON.stringify(world.handlers())).toBe(before);
        }
      }),
      { numRuns: answers },
    );

    expect(outcomes.discovered).toBeGreaterThan(answers / 50);
    expect(outcomes.refused).toBeGreaterThan(answers / 4);
  });
});
