// The syntax of environment variables, one schema each.
import { parseFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import * as z from 'zod/mini';

/** One beginning instead of whole URLs, because the environment of a Lambda function has at most 4 KB. */
export const queueUrls = z.pipe(
  z.string().check(z.regex(/^https?:\/\/[^\s{}]+\{[^\s{}]*\}$/, 'must be <beginning of the URLs>{<name>,<name>,…}')),
  z.transform(text => {
    const brace = text.indexOf('{');
    const names = text
      .slice(brace + 1, -1)
      .split(',')
      .filter(Boolean);
    return Object.fromEntries(names.map(name => [name, `${text.slice(0, brace)}${name}`]));
  }),
);

/** IPv6 addresses have brackets, as in URLs. Without a host, it means all addresses of both families, as in Go. */
export const probeAddress = z.pipe(
  z.string().check(z.regex(/^([^:\s]+|\[[^\]]+\])?:\d{1,5}$/, 'must be host:port or :port')),
  z.transform(text => {
    const colon = text.lastIndexOf(':');
    const host = text.slice(0, colon).replace(/^\[|\]$/g, '');
    return { host: host === '' ? undefined : host, port: Number(text.slice(colon + 1)) };
  }),
);

export const commaList = z.pipe(
  z.pipe(
    z.string(),
    z.transform(text => text.split(',').map(part => part.trim())),
  ),
  z.array(z.string().check(z.minLength(1))),
);

export const namespace = z.string().check(z.regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be a namespace'));

export const featureGates = z.pipe(
  z.string(),
  z.transform((text, context) => {
    const parsed = parseFeatureGates(text);
    if (!parsed.ok) {
      context.issues.push({ code: 'custom', message: parsed.error, input: text });
      return z.NEVER;
    }
    return parsed.value;
  }),
);

export const optionalText = z.optional(z.string());

export const secretArn = z
  .string()
  .check(z.regex(/^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:\S+$/, 'must be the ARN of a secret'));
