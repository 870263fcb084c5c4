// The signer of the functions: its code is a chunk that is read when the first kubeconfig is made or looked at.
import type { Signer } from '../port.ts';

export function createSigner(): Signer {
  return {
    kubeconfig: async request => (await import('./signer.ts')).signKubeconfig(request),
    inspect: async kubeconfig => (await import('./inspect.ts')).inspectKubeconfig(kubeconfig),
  };
}
