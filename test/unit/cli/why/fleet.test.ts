// `why` without a name: the planted cause of a fleet is in the first line.
import { expect, it } from 'vitest';
import { whyFleet } from '../../../../cli/why/fleet.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';
import { fleetWith } from './fleet-parts.ts';
import { plants } from './planted-causes.ts';

/** Of the planted causes, as a share. */
const wanted = 19 / 20;

async function askFleet(objects: ReturnType<typeof fleetWith>, json = false) {
  const api = createMemoryApi();
  api.given(...objects);
  const written: string[] = [];
  const code = await whyFleet({ reads: api.kubernetes, write: text => written.push(text), json });
  return { code, text: written.join('') };
}

it('names the planted cause first, in at least 19 of 20 fleets', async () => {
  const missed: string[] = [];
  for (const [at, each] of plants.entries()) {
    const { code, text } = await askFleet(fleetWith(each, 5 + (at % 4) * 5));
    const [line = ''] = text.split('\n');
    if (code !== 1 || !each.first.test(line)) {
      missed.push(`${each.cause}:\n${text}`);
    }
  }
  console.log(`why: the planted cause is first in ${plants.length - missed.length} of ${plants.length} fleets`);
  expect(plants.length).toBeGreaterThanOrEqual(20);
  expect((plants.length - missed.length) / plants.length, missed.join('\n')).toBeGreaterThanOrEqual(wanted);
});

it('says that nothing waits in a healthy fleet', async () => {
  expect(await askFleet(fleetWith({ plant: parts => parts }, 20))).toEqual({ code: 0, text: 'Nothing waits.\n' });
});
