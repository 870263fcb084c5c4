// The real control plane of other suites: its audit log, its controllers, and its shutdown.
import { existsSync, readFileSync } from 'node:fs';
import { type Kubernetes, type ObjectRef, toRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { loadCredentials } from '../../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { createTestClient } from '../../support/test-client.ts';
import { expectFailure, expectValue, freshName } from '../answers.ts';

const patience = { timeout: 300_000, interval: 100 };

describeReal(
  'the control plane of the tests',
  () => {
    let plane: RealControlPlane;
    let kubernetes: Kubernetes;

    beforeAll(async () => {
      plane = await startControlPlane({ users: [{ name: 'auditee', groups: ['system:masters'] }] });
      const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('auditee') });
      kubernetes = createTestClient({ credentials, client: 'test' });
    });

    afterAll(() => plane?.stop());

    it('logs the user and the request as soon as it is answered', async () => {
      const name = freshName('audited');
      expectFailure(await kubernetes.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name }));
      const line = await vi.waitFor(() => {
        const found = readFileSync(plane.auditLogPath, 'utf8')
          .split('\n')
          .find(text => text.includes(name));
        return found ?? Promise.reject(new Error(`${name} is not in the audit log`));
      }, patience);
      expect(JSON.parse(line)).toMatchObject({
        level: 'Metadata',
        stage: 'ResponseComplete',
        verb: 'get',
        user: { username: 'auditee' },
        responseStatus: { code: 404 },
      });
    });

    it('collects the dependents of a deleted owner, and empties a deleted namespace', async () => {
      const namespace = freshName('ns');
      const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      const aSecret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
      expectValue(await kubernetes.create(home));
      const owner = expectValue(await kubernetes.create(aSecret('owner')));
      const { apiVersion, kind, metadata } = owner;
      const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
      const owned = aSecret('owned');
      expectValue(await kubernetes.create({ ...owned, metadata: { ...owned.metadata, ownerReferences } }));
      expectValue(await kubernetes.delete(toRef(owner)));
      await untilGone({ ...toRef(owner), name: 'owned' });
      expect(expectValue(await kubernetes.delete({ ...home, name: namespace }))).toMatchObject({
        status: { phase: 'Terminating' },
      });
      await untilGone({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    });

    it('leaves no processes or files behind', async () => {
      const kubeconfig = plane.kubeconfigPath('admin');
      await plane.stop();
      expect(Object.values(plane.pids)).toHaveLength(3);
      for (const pid of Object.values(plane.pids)) {
        expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      }
      expect(existsSync(kubeconfig)).toBe(false);
    });

    function untilGone(ref: ObjectRef): Promise<void> {
      return vi.waitFor(async () => {
        expect(expectFailure(await kubernetes.get(ref)).reason).toBe('NotFound');
      }, patience);
    }
  },
  { needs: 'controllers' },
);
