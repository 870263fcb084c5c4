// The URL of a handler.
import { type Checked, invalid, valid } from '@capi-serverless/apimachinery';
import type { ClientConfig } from '../../api/extension-config/reader.ts';
import { hooksApiVersion } from './hook.ts';

interface Route {
  readonly hook: { readonly name: string };
  /** Absent for Discovery. */
  readonly handler?: string;
  readonly timeoutSeconds: number;
}

const servicesUnreachable =
  'spec.clientConfig.service cannot be reached: functions are outside of the cluster network; ' +
  'set spec.clientConfig.url, or CAPI_EXTENSION_SERVICES=dns where <name>.<namespace>.svc leads to the Service';

/** The URL of a call. User info is dropped, because conditions show the URL. */
export function toHookUrl(
  clientConfig: ClientConfig,
  route: Route,
  { services }: { readonly services: 'refuse' | 'dns' },
): Checked<string> {
  const { service } = clientConfig;
  if (service !== undefined && services === 'refuse') {
    return invalid(servicesUnreachable);
  }
  const parsed = toBase(clientConfig);
  if (!parsed.ok) {
    return parsed;
  }
  const base = parsed.value;
  if (base.protocol !== 'https:') {
    return invalid(`spec.clientConfig.url has the scheme "${base.protocol.replace(':', '')}", only https is allowed`);
  }
  const own = [hooksApiVersion, route.hook.name.toLowerCase(), ...(route.handler ?? '').toLowerCase().split('/')];
  const segments = [base.pathname, ...own].join('/').split('/');
  base.pathname = `/${segments.filter(segment => segment !== '').join('/')}`;
  base.searchParams.append('timeout', `${route.timeoutSeconds}s`);
  base.searchParams.sort();
  base.username = '';
  base.password = '';
  base.hash = '';
  return valid(withPort(base, service?.port));
}

/** Upstream's webhook refuses both. Here a Service takes precedence. */
function toBase({ url, service }: ClientConfig): Checked<URL> {
  if (service !== undefined) {
    const base = toServiceUrl(service);
    return base === null ? invalid('spec.clientConfig.service has no valid name') : valid(base);
  }
  if (url === undefined) {
    return invalid('either spec.clientConfig.url or spec.clientConfig.service must be set');
  }
  const base = URL.parse(url);
  return base === null ? invalid('spec.clientConfig.url is not a URL') : valid(base);
}

function toServiceUrl({ name, namespace, path = '', port }: NonNullable<ClientConfig['service']>): URL | null {
  const authority = `${name}.${namespace}.svc${port === undefined ? '' : `:${port}`}`;
  return URL.parse(`https://${authority}/${path.replace(/^\/+/, '')}`);
}

/** URL omits the default port, but messages show a Service's port as configured. */
function withPort({ host, pathname, search, port }: URL, given: number | undefined): string {
  const authority = port === '' && given !== undefined ? `${host}:${given}` : host;
  return `https://${authority}${pathname}${search}`;
}
