// The manifests of the watch-forwarder, as generated.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';
import { parseConfig } from '../../../../shared/config/env.ts';

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
}

it('answer probes at the IPv6 address of a pod as well as at an IPv4 address', () => {
  const text = readFileSync(path.join(projectRoot, 'infra/kubernetes/forwarder/deployment.yaml'), 'utf8');
  const [container] = parse(text).spec.template.spec.containers as readonly Container[]; // true: by the type of the manifest
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  const [probes] = container?.ports ?? [];
  expect(parseConfig(env).probeAddress).toEqual({ host: undefined, port: probes?.containerPort });
});
