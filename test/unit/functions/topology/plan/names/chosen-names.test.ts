// Names of workers, which must be unique.

import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import { expect, it } from 'vitest';
import { type ChosenWorker, toWorkerNames } from '../../../../../../functions/topology/plan/names/choose-names.ts';
import type { ChosenName } from '../../../../../../functions/topology/plan/names/topology-names.ts';
import type { WantedName } from '../../../../../../functions/topology/plan/names/wanted-names.ts';

type Chosen = Partial<Readonly<Record<'object' | 'bootstrap' | 'infrastructure', Checked<ChosenName>>>>;

function aWorker(topologyName: string, chosen: Chosen = {}): ChosenWorker {
  const wanted: WantedName = {
    ...{ role: 'MachineDeployment', topologyName, template: '', apiVersion: 'g/v1', kind: 'MachineDeployment' },
    held: undefined,
    toProblem: cause => `${topologyName}: ${cause}`,
  };
  const name = (part: string) => valid({ name: `c1-${topologyName}-${part}` });
  return {
    topologyName,
    wanted: { object: wanted, bootstrap: wanted, infrastructure: wanted },
    chosen: {
      ...{ object: name('o'), bootstrap: name('b'), infrastructure: name('i') },
      ...chosen,
    },
  };
}

const namesOf = (topologyName: string) => ({
  object: { name: `c1-${topologyName}-o` },
  bootstrap: { name: `c1-${topologyName}-b` },
  infrastructure: { name: `c1-${topologyName}-i` },
});

it('are found by topology name', () => {
  expect(toWorkerNames([])).toEqual(valid(new Map()));
  expect(toWorkerNames([aWorker('a'), aWorker('b')])).toEqual(
    valid(
      new Map([
        ['a', namesOf('a')],
        ['b', namesOf('b')],
      ]),
    ),
  );
});

it('are an error in the order infrastructure, bootstrap, object', () => {
  const broken = { object: invalid('o'), bootstrap: invalid('b'), infrastructure: invalid('i') };
  expect(toWorkerNames([aWorker('a', broken)])).toEqual(invalid('i'));
  expect(toWorkerNames([aWorker('a', { object: broken.object, bootstrap: broken.bootstrap })])).toEqual(invalid('b'));
  expect(toWorkerNames([aWorker('a'), aWorker('b', { object: broken.object })])).toEqual(invalid('o'));
});

it('must differ from worker to worker', () => {
  const same = { object: valid({ name: 'same' }) };
  expect(toWorkerNames([aWorker('a', same), aWorker('b'), aWorker('c', same)])).toEqual(
    invalid(
      'c: topology "a" has the name same already; change the naming template of the class so that the names differ',
    ),
  );
});
