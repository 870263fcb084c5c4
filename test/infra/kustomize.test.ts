// The kustomizations as built by kubectl, and the overlay of docs/deployment.md.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { buildImage } from '../../infra/containers/forwarder-image.ts';
import { kubectlProblem, withKubectl } from '../ports/apiserver/kubectl.ts';
import { describePart } from '../support/describe-part.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

const problem = kubectlProblem();
const found = problem === undefined ? {} : { missing: problem };

describePart('kustomizations', found, { part: 'kubectl', declare });

function declare(): void {
  let folder: string;

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'capi-overlay-')));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  async function build(directory: string): Promise<readonly Manifest[]> {
    let manifests: readonly Manifest[] = [];
    await withKubectl('/nonexistent', async kubectl => {
      const { exitCode, stdout, stderr } = await kubectl(['kustomize', directory]);
      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      manifests = parseAllDocuments(stdout).map(document => document.toJS());
    });
    return manifests;
  }

  it('of the roles holds a role per function and its binding', async () => {
    const manifests = await build(path.join(projectRoot, 'infra/kubernetes/rbac'));
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set(['ClusterRole', 'ClusterRoleBinding', 'RoleBinding']),
    );
  });

  it('of the account holds the roles, and binds all of them to one service account', async () => {
    const manifests = await build(path.join(projectRoot, 'infra/kubernetes/account'));
    const count = (kind: string) => manifests.filter(manifest => manifest.kind === kind).length;
    expect([count('Namespace'), count('ServiceAccount')]).toEqual([1, 1]);
    expect(count('ClusterRoleBinding')).toBeGreaterThan(count('ClusterRole'));
  });

  it('of the forwarder takes image, namespace and queues from the documented overlay', async () => {
    const text = readFileSync(path.join(projectRoot, 'docs/deployment.md'), 'utf8');
    const [, overlay = ''] = /```yaml\n# kustomization\.yaml\n([^`]+)```/.exec(text) ?? [];
    const base = path.relative(folder, path.join(projectRoot, 'infra/kubernetes/forwarder'));
    const own = overlay
      .replace('../capi-serverless/infra/kubernetes/forwarder', base)
      .replace(/^namespace: capi-serverless/m, 'namespace: capi-blue')
      .replace('<output …ForwarderQueueUrls…>', 'https://sqs.example.com/1/capi-{expand,delay}')
      .replace('../capi-serverless/dist/forwarder-image', 'forwarder-image');
    const digest = `sha256:${'b'.repeat(64)}`;
    mkdirSync(path.join(folder, 'infra/containers'), { recursive: true });
    const docker = async (args: readonly string[]): Promise<string> => {
      const file = args[args.indexOf('--metadata-file') + 1];
      if (args[1] === 'build' && file !== undefined) {
        writeFileSync(file, JSON.stringify({ 'containerimage.digest': digest }));
      }
      return digest;
    };
    const repository = 'registry.example.com/watch-forwarder';
    await buildImage({ root: folder, docker }, { repository, tag: '1', updateBase: false });
    renameSync(path.join(folder, 'dist/forwarder-image'), path.join(folder, 'forwarder-image'));
    writeFileSync(path.join(folder, 'kustomization.yaml'), own);
    const manifests = await build(folder);
    const config = manifests.find(({ kind }) => kind === 'ConfigMap');
    expect(config?.data).toEqual({ CAPI_QUEUE_URLS: 'https://sqs.example.com/1/capi-{expand,delay}' });
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(JSON.stringify(deployment)).toContain(`"image":"${repository}@${digest}"`);
    expect(JSON.stringify(deployment)).toContain(`"configMapRef":{"name":"${config?.metadata.name}"}`);
    expect(deployment?.metadata.namespace).toBe('capi-blue');
    expect(manifests.find(({ kind }) => kind === 'Namespace')?.metadata.name).toBe('capi-blue');
    expect(manifests.find(({ kind }) => kind === 'ClusterRoleBinding')).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', name: 'watch-forwarder', namespace: 'capi-blue' }],
    });
  });
}
