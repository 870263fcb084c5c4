// Each file of the suite has its own folder for the kubeconfig and the queues of its runs, so files can run in parallel.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'capi-run-'));
process.env['CAPI_LOCAL_FOLDER'] = folder;

afterAll(() => rmSync(folder, { recursive: true, force: true }));
