// The sources and the location of the built control plane.
import { builtDir, type GoModule } from '../go-modules/go-module.ts';

/** The release that go.mod pins. A plain `go build` omits it from the binaries, so the linker sets it. */
const version = '1.36.3';
const [major = '', minor = ''] = version.split('.');
const versionPackage = 'k8s.io/component-base/version';

export const controlPlaneModule: GoModule = {
  name: 'kube-apiserver',
  title: 'test control plane',
  dir: import.meta.dirname,
  programs: {
    etcd: './etcd',
    'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
    'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  // The number of packages that are compiled at a time. Linking kube-apiserver alone takes 2 GiB.
  buildFlags: [
    '-p=2',
    '-trimpath',
    '-ldflags',
    `-s -w -X ${versionPackage}.gitVersion=v${version} -X ${versionPackage}.gitMajor=${major} -X ${versionPackage}.gitMinor=${minor}`,
  ],
  sources: ['etcd/main.go'],
  firstBuild: '5 to 15 minutes for all three programs',
};

/** The folder that `npm run kube-apiserver` fills. If it exists, it is complete. */
export function builtControlPlaneDir(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return builtDir(controlPlaneModule, env);
}
