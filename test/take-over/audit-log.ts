// The writes that one user made, from the audit log of the API server.
import { readFileSync } from 'node:fs';

export interface AuditedWrite {
  readonly verb: string;
  /** The resource with its subresource, for example `clusters/status`. */
  readonly resource: string;
  readonly name: string;
}

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
}

const writing = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** The number of lines so far. Pass it to `writesOf` to read only what follows. */
export const auditLength = (path: string): number => linesOf(path).length;

/** Returns the successful writes of the user after the given number of lines. Dry runs are not writes. */
export function writesOf(path: string, user: string, since: number): readonly AuditedWrite[] {
  return linesOf(path)
    .slice(since)
    .map(line => JSON.parse(line) as AuditLine) // True: the API server writes one audit event per line.
    .filter(({ verb, user: { username } }) => writing.has(verb) && username === user)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes('dryRun=') && (responseStatus?.code ?? 0) < 400)
    .map(({ verb, objectRef }) => ({
      verb,
      resource: [objectRef?.resource, objectRef?.subresource].filter(part => part !== undefined).join('/'),
      name: objectRef?.name ?? '',
    }));
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}
