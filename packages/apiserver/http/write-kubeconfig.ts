// The kubeconfig of a user in JSON, which is valid YAML.
import { rmSync, writeFileSync } from 'node:fs';

export function toKubeconfig(of: {
  readonly url: string;
  readonly caPem: string;
  readonly user: string;
  readonly token: string;
}): string {
  const name = 'capi-serverless';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: of.url, 'certificate-authority-data': Buffer.from(of.caPem).toString('base64') },
      },
    ],
    users: [{ name: of.user, user: { token: of.token } }],
    contexts: [{ name, context: { cluster: name, user: of.user, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** Only the owner of the file can read it, because it contains a token. */
export function writeKubeconfig(path: string, text: string): void {
  // The mode applies to new files only.
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
}
