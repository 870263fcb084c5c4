// The example provider's definitions by the contract.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { checkFiles } from '../../../infra/local/contract-check/check-contract.ts';

it('defines its kinds by the provider contract', () => {
  const name = 'examples/provider/crds.yaml';
  const text = readFileSync(path.join(projectRoot, name), 'utf8');
  expect(checkFiles([{ name, text }])).toEqual({ objects: 3, findings: [], notes: [] });
});
