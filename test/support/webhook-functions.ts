// The admission and conversion functions of a deployment, at addresses with tokens.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { vi } from 'vitest';
import { createAdmissionHandler } from '../../functions/admission/admission-handler.ts';
import { createConversionHandler } from '../../functions/conversion/conversion-handler.ts';
import { type FunctionUrl, openFunctionUrl } from '../../local/function-url.ts';
import { aRecordingLog } from './kernel.ts';
import { makeSelfSignedCertificate } from './self-signed-certificate.ts';

export interface WebhookFunctions {
  /** The file with the certificates that API servers trust. */
  readonly ca: string;
  /** Without a token. */
  readonly admissionUrl: string;
  /** The arguments of `capi-serverless webhooks take-over` about the functions, with this token. */
  argsWith(token: string): readonly string[];
  stop(): Promise<void>;
}

export async function startWebhookFunctions(
  kubeconfigPath: string,
  tokens: readonly string[],
): Promise<WebhookFunctions> {
  const certificate = makeSelfSignedCertificate('capi-serverless webhooks');
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-webhooks-'));
  const ca = path.join(folder, 'ca.pem');
  writeFileSync(ca, certificate.certificatePem);
  vi.stubEnv('CAPI_KUBECONFIG', kubeconfigPath);
  vi.stubEnv('CAPI_ADMISSION_TOKENS', tokens.join());
  vi.stubEnv('CAPI_CONVERSION_TOKENS', tokens.join());
  vi.stubEnv('CAPI_FEATURE_GATES', 'ClusterTopology=true');
  vi.stubEnv('CAPI_LOG_LEVEL', 'error');
  const handlers = {
    admission: createAdmissionHandler('admission'),
    conversion: createConversionHandler('conversion'),
  };
  vi.unstubAllEnvs();
  const doors = await Promise.all(
    Object.entries(handlers).map(async ([name, handler]): Promise<FunctionUrl> => {
      const door = await openFunctionUrl({ port: 0, ...certificate });
      door.serve({ target: { name, timeoutSeconds: 30, handler }, clock: systemClock, log: aRecordingLog() });
      return door;
    }),
  );
  const [admissionUrl = '', conversionUrl = ''] = doors.map(({ url }) => url);
  return {
    ca,
    admissionUrl,
    argsWith: token => [
      ...['--ca', ca, '--url', `${admissionUrl}${token}`],
      ...['--conversion-url', `${conversionUrl}${token}`],
    ],
    async stop() {
      await Promise.all(doors.map(door => door.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
