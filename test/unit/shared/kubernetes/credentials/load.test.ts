import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadCredentials } from '../../../../../shared/kubernetes/credentials/load.ts';

const eks = {
  cluster: 'mgmt',
  endpoint: 'https://mgmt.example.com',
  // The content of the file matters only to a connection.
  certificateAuthorityFile: import.meta.filename,
};

describe('the source of credentials', () => {
  beforeEach(() => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    vi.stubEnv('AWS_SESSION_TOKEN', '');
  });

  afterEach(() => vi.unstubAllEnvs());

  it('is the role of the function if an EKS cluster is set', async () => {
    const credentials = await loadCredentials({ eks });
    expect(credentials.server).toBe('https://mgmt.example.com');
    expect((await credentials.current()).authorization).toMatch(/^Bearer k8s-aws-v1\.[\w-]+$/);
  });

  it('is a kubeconfig if one is set', async () => {
    await expect(loadCredentials({ kubeconfigPath: '/missing/kubeconfig', eks })).rejects.toThrow(
      'Kubeconfig /missing/kubeconfig: cannot be read',
    );
  });

  it('is the service account of the pod otherwise', async () => {
    await expect(loadCredentials()).rejects.toThrow('Not inside a cluster');
  });
});
