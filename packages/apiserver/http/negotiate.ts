// Content negotiation: the requested representation and the encoding of a body. Pure.
import { StatusError } from '../core/status.ts';

export interface Representation {
  readonly form: 'object' | 'table' | 'metadata';
  readonly encoding: 'json' | 'yaml';
}

interface MediaType {
  /** The name in lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';').map(part => part.trim());
  const parameters = rest.map((part): [string, string] => {
    const [name = '', value = ''] = part.split('=', 2);
    return [name.trim().toLowerCase(), value.trim()];
  });
  return { type: type.toLowerCase(), parameters: new Map(parameters) };
}

const plain: Representation = { form: 'object', encoding: 'json' };

const forms: Readonly<Record<string, Representation['form']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/**
 * Returns the first item of an Accept header that can be served. Returns JSON without a header. Throws NotAcceptable if
 * none can be served.
 */
export function negotiate(accept: string | undefined): Representation {
  if (accept === undefined || accept.trim() === '') {
    return plain;
  }
  for (const entry of accept.split(',')) {
    const representation = toRepresentation(parseMediaType(entry));
    if (representation !== undefined) {
      return representation;
    }
  }
  const accepted = 'application/json, application/yaml';
  throw new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted}, application/json;as=Table;v=v1;g=meta.k8s.io`,
  );
}

function toRepresentation({ type, parameters }: MediaType): Representation | undefined {
  const encoding = encodingOf(type);
  const as = parameters.get('as');
  if (encoding === undefined || as === undefined) {
    return encoding === undefined ? undefined : { form: 'object', encoding };
  }
  const form = forms[as];
  const known = parameters.get('g') === 'meta.k8s.io' && ['v1', 'v1beta1'].includes(parameters.get('v') ?? '');
  return form === undefined || !known ? undefined : { form, encoding };
}

function encodingOf(type: string): Representation['encoding'] | undefined {
  switch (type) {
    case 'application/json':
    case 'application/*':
    case '*/*':
      return 'json';
    case 'application/yaml':
      return 'yaml';
    default:
      return undefined;
  }
}

/** Returns true if the client prefers the aggregated form of discovery to all other served forms. */
export function wantsAggregated(accept: string | undefined): boolean {
  for (const { type, parameters } of (accept ?? '').split(',').map(parseMediaType)) {
    if (type === 'application/json' && parameters.get('as') === 'APIGroupDiscoveryList') {
      if (parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('v') === 'v2') {
        return true;
      }
    } else if (encodingOf(type) !== undefined) {
      return false;
    }
  }
  return false;
}
