// Kubeconfigs in Secrets: valid ones with a secret in every field, with random defects, and any YAML or JSON.
import { inspectKubeconfig } from '../../../shared/certificates/x509/inspect.ts';
import { KubeconfigError, readInlineKubeconfig } from '../../../shared/kubernetes/credentials/kubeconfig.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';
import { yamlFragment, yamlText } from './yaml.ts';

const canary = 'c4n4ry';
const valid = `current-context: ${canary}1
contexts:
- name: ${canary}1
  context: {cluster: ${canary}2, user: ${canary}3}
clusters:
- name: ${canary}2
  cluster: {server: 'https://h:1/${canary}'}
users:
- name: ${canary}3
  user:
    token: ${canary}
    ${canary}: [${canary}, &a ${canary}, !${canary} x]
`;

const broken = fc
  .array(fc.tuple(fc.nat({ max: valid.length }), fc.nat({ max: 20 }), yamlFragment), { maxLength: 4 })
  .map(edits =>
    edits.reduce((text, [at, removed, added]) => text.slice(0, at) + added + text.slice(at + removed), valid),
  );
const text = fc.oneof(
  broken,
  yamlText.map(each => `${each}${canary}`),
  fc.json().map(each => `{"${canary}": ${each}`),
);

async function check(kubeconfig: string): Promise<void> {
  const { emitWarning } = process;
  process.emitWarning = (): never => {
    throw new Error('the parser warned');
  };
  try {
    await inspectKubeconfig(kubeconfig);
    await readInlineKubeconfig('in a Secret', kubeconfig);
  } catch (error) {
    if (!(error instanceof KubeconfigError)) {
      throw error;
    }
    if (`${error.stack} ${JSON.stringify(error)}`.includes(canary)) {
      throw new Error(`the error quotes the text: ${error.message}`);
    }
  } finally {
    process.emitWarning = emitWarning;
  }
}

export const parser: FuzzedParser = { name: 'kubeconfig', property: fc.asyncProperty(text, check) };
