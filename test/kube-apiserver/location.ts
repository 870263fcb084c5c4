// Where the built control plane lies, named by a hash over everything that decides its content.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const moduleDir = import.meta.dirname;

/** The release that go.mod pins. A plain `go build` leaves it out of the binaries, so the linker is told. */
const version = '1.36.3';
const [major = '', minor = ''] = version.split('.');
const versionPackage = 'k8s.io/component-base/version';

/** Two packages at a time: linking kube-apiserver alone takes 2 GiB. */
export const buildFlags: readonly string[] = [
  '-p=2',
  '-trimpath',
  '-ldflags',
  `-s -w -X ${versionPackage}.gitVersion=v${version} -X ${versionPackage}.gitMajor=${major} -X ${versionPackage}.gitMinor=${minor}`,
];

export const programs = {
  etcd: './etcd',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
} as const;

/** Go's names of this machine's system and processor. */
export const target = {
  os: process.platform === 'win32' ? 'windows' : process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
};

/** The folder that `npm run kube-apiserver` fills: complete whenever it exists. */
export function builtControlPlaneDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const cache = env['CAPI_TEST_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'capi-serverless', `kube-apiserver-${contentHash()}`);
}

function contentHash(): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', join('etcd', 'main.go')]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(moduleDir, file)))
      .update('\0');
  }
  hash.update(JSON.stringify([buildFlags, programs, target]));
  return hash.digest('hex').slice(0, 16);
}
