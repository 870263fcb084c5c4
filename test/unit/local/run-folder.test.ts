import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { toRunFolder } from '../../../local/run-folder.ts';

describe('the folder of a local run', () => {
  it.each([{ env: {} }, { env: { CAPI_LOCAL_FOLDER: '' } }])(
    'is dist unless the environment names one: $env',
    ({ env }) => {
      expect(toRunFolder(env)).toBe(path.join(projectRoot, 'dist'));
    },
  );

  it('is the named one, from the current folder', () => {
    expect(toRunFolder({ CAPI_LOCAL_FOLDER: '/tmp/second' })).toBe('/tmp/second');
    expect(toRunFolder({ CAPI_LOCAL_FOLDER: 'second' })).toBe(path.resolve('second'));
  });
});
