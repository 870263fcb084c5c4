// Both provider generations on a real kube-apiserver. The actuator has only the permissions of its role.
import { readFile } from 'node:fs/promises';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { toGroupName } from '../../../infra/kubernetes/identities.ts';
import { toProviderRbac } from '../../../infra/kubernetes/provider-rbac.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { createClients, installKinds } from './servers.ts';
import { type ClientRequest, generationsOn } from './suite.ts';
import { actuatorName } from './two-generations.ts';

const deployment = 'generations-test';
const users = [
  { name: actuatorName, groups: [toGroupName(`${deployment}-${actuatorName}`)] },
  { name: 'cluster', groups: ['system:masters'] },
  { name: 'simulated-cluster', groups: ['system:masters'] },
];

interface AuditLine {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: { readonly apiGroup?: string };
  readonly responseStatus?: { readonly code?: number };
}

describeReal('both generations with kube-apiserver', () => {
  generationsOn('kube-apiserver', async () => {
    const plane = await startControlPlane({ users, controllers: false });
    const known = await Promise.all(
      ['admin', ...users.map(({ name }) => name)].map(async name => {
        const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath(name) });
        return [name, credentials] as const;
      }),
    );
    const credentials = new Map(known);
    const kubernetes = createClients(client => {
      const found = credentials.get(client) ?? credentials.get('admin');
      if (found === undefined) {
        throw new Error('There is no administrator');
      }
      return found;
    });
    await installKinds(kubernetes('tests'));
    return {
      kubernetes,
      async authorise(declaration) {
        const rbac = toProviderRbac({ declarations: [declaration], deployment, identity: 'groups' });
        for (const manifest of parseManifests(rbac, 'the roles of the actuator')) {
          const answer = await kubernetes('tests').create(manifest);
          if (!answer.ok) {
            throw new Error(answer.failure.message);
          }
        }
      },
      audit: () => readAudit(plane),
      now: systemClock.now,
      close: () => plane.stop(),
    };
  });
});

async function readAudit({ auditLogPath }: RealControlPlane): Promise<readonly ClientRequest[]> {
  const lines = (await readFile(auditLogPath, 'utf8')).split('\n').filter(Boolean);
  return lines
    .map((line): AuditLine => JSON.parse(line)) // true: the server writes them in this form
    .map(({ user, verb, objectRef, responseStatus }) => ({
      client: user.username,
      verb,
      group: objectRef?.apiGroup ?? '',
      code: responseStatus?.code ?? 0,
    }));
}
