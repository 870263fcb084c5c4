import { expect, test } from 'vitest';
import { toFiles } from '../../../../cli/new-provider/files.ts';
import { installCrds, toInstallable } from '../../../../local/crds.ts';
import { describeOutdated, type ExternalDefinition } from '../../../../local/external-provider/external-definitions.ts';
import { isDefinition } from '../../../../local/findings/as-stored.ts';
import { parseManifests } from '../../../../local/manifests.ts';
import { createMemoryApi } from '../../../support/memory-api.ts';

const text = toFiles({ name: 'rack', group: 'rack.example.com', folder: '' }, '').find(
  ({ name }) => name === 'crds.yaml',
)?.text;

function definitionsOf(manifests = ''): readonly ExternalDefinition[] {
  return parseManifests(manifests, 'crds.yaml')
    .filter(isDefinition)
    .map(object => {
      const checked = toInstallable(object);
      return checked.ok ? { crd: checked.value, file: 'crds.yaml' } : expect.unreachable(checked.error);
    });
}

const column = '        - { name: Age,';

test.each([
  { reason: 'the same', change: (now: string) => now, outdated: [] },
  {
    reason: 'a field more',
    change: (now: string) =>
      now.replace('                zones:', '                size: { type: integer }\n                zones:'),
    outdated: ['rackclusters.rack.example.com'],
  },
  {
    reason: 'another type',
    change: (now: string) => now.replace('networkId:', 'networkId:\n                  maxLength: 63'),
    outdated: ['rackclusters.rack.example.com'],
  },
  {
    reason: 'a column more',
    change: (now: string) =>
      now.replace(column, `        - { name: Id, type: string, jsonPath: .status.networkId }\n${column}`),
    outdated: ['rackclusters.rack.example.com'],
  },
  {
    reason: 'a field by another name',
    change: (now: string) => now.replace('                networkId:\n', '                other:\n'),
    outdated: ['rackclusters.rack.example.com'],
  },
])('definitions that are installed are compared with those of the file: $reason', async ({ change, outdated }) => {
  const { kubernetes, clock } = createMemoryApi();
  const installed = definitionsOf(text).map(({ crd }) => crd);
  expect((await installCrds(kubernetes, installed, { clock })).problems).toEqual([]);
  const changed = change(text ?? '');
  const lines = await describeOutdated(kubernetes, definitionsOf(changed));
  expect(lines).toEqual(
    outdated.map(
      name => `${name} is installed in another form than in crds.yaml; kubectl apply -f crds.yaml brings that one`,
    ),
  );
});
