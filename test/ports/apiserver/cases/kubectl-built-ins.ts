// What kubectl sends for built-in kinds: bodies in the binary format, and strategic merge patches.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { expect } from 'vitest';
import { freshName } from '../../answers.ts';
import { type Case, core, created, done, expectRefusal } from '../api-case.ts';
import { createRun, withKubectl } from '../kubectl.ts';

const strategic = 'application/strategic-merge-patch+json';

export const kubectlBuiltInCases: readonly Case[] = [
  {
    id: 'A118',
    says: 'kubectl creates, applies again, patches, labels and deletes namespaces, ConfigMaps and Secrets',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const run = createRun(kubectl, api);
        const [configMap, secret, namespace] = [freshName('cm'), freshName('secret'), freshName('ns')];
        expect(await run(`create configmap ${configMap} --from-literal=a=1 --from-literal=empty=`)).toMatch(
          / created\n$/,
        );
        expect(done(await api.http.get(core(api, 'configmaps', configMap)))['data']).toEqual({ a: '1', empty: '' });
        expect(await run(`create secret generic ${secret} --from-literal=k=v`)).toMatch(/ created\n$/);
        expect(done(await api.http.get(core(api, 'secrets', secret)))).toMatchObject({
          data: { k: 'dg==' },
          type: 'Opaque',
        });
        expect(await run(`create namespace ${namespace}`)).toMatch(/ created\n$/);
        await run(`label namespace ${namespace} color=red`);
        expect(done(await api.http.get(`/api/v1/namespaces/${namespace}`)).metadata.labels).toMatchObject({
          color: 'red',
        });

        const applied = (data: JsonObject) =>
          JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${configMap}-2` }, data });
        expect(await run('apply -f -', applied({ a: '1', b: '2' }))).toMatch(/ created\n$/);
        expect(await run('apply -f -', applied({ a: '3', c: '4' }))).toMatch(/ configured\n$/);
        expect(await run('apply -f -', applied({ a: '3', c: '4' }))).toMatch(/ unchanged\n$/);
        expect(done(await api.http.get(core(api, 'configmaps', `${configMap}-2`)))['data']).toEqual({ a: '3', c: '4' });
        await run(`patch configmap ${configMap} -p {"data":{"a":null,"z":"9"}}`);
        expect(done(await api.http.get(core(api, 'configmaps', configMap)))['data']).toEqual({ empty: '', z: '9' });

        const secretOf = (stringData: JsonObject) =>
          JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${secret}-2` }, stringData });
        await run('apply -f -', secretOf({ k: 'v' }));
        expect(await run('apply -f -', secretOf({ k: 'w' }))).toMatch(/ configured\n$/);
        expect(done(await api.http.get(core(api, 'secrets', `${secret}-2`)))['data']).toEqual({ k: 'dw==' });

        await run(`delete secret ${secret} --cascade=background`);
        expectRefusal(await api.http.get(core(api, 'secrets', secret)), 404);
        await run(`delete namespace ${namespace} --wait=false`);
      });
    },
  },
  {
    id: 'A119',
    says: 'a strategic merge patch merges finalizers as a set and owners by their uid, and follows its directives',
    async run(api) {
      const name = freshName();
      const path = core(api, 'configmaps', name);
      // The garbage collector keeps objects whose owner has an unknown kind.
      const ofUnknownKind = { apiVersion: 'unknown.test/v1', kind: 'Unknown', name: 'o' };
      const owner = (uid: string, more: JsonObject = {}) => ({ ...ofUnknownKind, uid, ...more });
      created(
        await api.http.post(core(api, 'configmaps'), {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, finalizers: ['x.io/a', 'x.io/b'], ownerReferences: [owner('1'), owner('2')] },
          data: { a: '1', b: '2' },
        }),
      );
      const patch = async (body: JsonObject) => done(await api.http.patch(path, body, { type: strategic }));
      const added = await patch({ metadata: { finalizers: ['x.io/c', 'x.io/a'], ownerReferences: [owner('3')] } });
      expect(added.metadata.finalizers).toEqual(['x.io/c', 'x.io/a', 'x.io/b']);
      expect(added.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['3', '1', '2']);
      const changed = await patch({
        metadata: {
          '$deleteFromPrimitiveList/finalizers': ['x.io/b'],
          '$setElementOrder/finalizers': ['x.io/c', 'x.io/a'],
          finalizers: ['x.io/c', 'x.io/a'],
          ownerReferences: [{ $patch: 'delete', uid: '1' }, owner('2', { name: 'changed' })],
        },
        data: { $retainKeys: ['b', 'c'], c: '3' },
      });
      expect(changed.metadata.finalizers).toEqual(['x.io/c', 'x.io/a']);
      expect(changed.metadata.ownerReferences).toMatchObject([{ uid: '3' }, { uid: '2', name: 'changed' }]);
      expect(changed['data']).toEqual({ b: '2', c: '3' });
      const replaced = await patch({
        metadata: { ownerReferences: [{ $patch: 'replace' }, owner('4')], finalizers: null },
        data: { $patch: 'replace', d: '4' },
      });
      expect(replaced.metadata.finalizers).toBeUndefined();
      expect(replaced.metadata.ownerReferences).toMatchObject([{ uid: '4' }]);
      expect(replaced['data']).toEqual({ d: '4' });
      expect((await patch({ data: { $patch: 'delete' } }))['data']).toBeUndefined();
    },
  },
  {
    id: 'A120',
    says: 'kubectl auth can-i asks for the rights of the user',
    needs: 'kubectl',
    run(api) {
      return withKubectl(api.kubeconfigPath, async kubectl => {
        const run = createRun(kubectl, api);
        expect(await run('auth can-i create widgets')).toBe('yes\n');
        expect(await run('auth can-i get /version')).toBe('yes\n');
        expect(await run('auth can-i --list')).toMatch(/\*\.\* +\[\] +\[\] +\[\*\]/);
        const review = (spec: JsonObject) => ({
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec,
        });
        const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
        const own = await api.http.post(path, review({ resourceAttributes: { verb: 'list', resource: 'secrets' } }));
        expect(own).toMatchObject({
          status: 201,
          body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
        });
        expectRefusal(await api.http.get(path), 405);
        const others = await api.unprivileged?.post(
          path,
          review({ resourceAttributes: { verb: 'list', resource: 'secrets' } }),
        );
        expect(others ?? { status: 201, body: { status: { allowed: false } } }).toMatchObject({
          status: 201,
          body: { status: { allowed: false } },
        });
      });
    },
  },
];
