// Refuses foreign Host headers on servers of the loopback address. Without this check, a web page could resolve its
// host name to that address and read the answers of the server (DNS rebinding).
import type { IncomingMessage, ServerResponse } from 'node:http';

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Returns true if the Host header is a name of the loopback address, with or without a port. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && loopbackName.test(host);
}

export const foreignHost = {
  /** The status code for Misdirected Request. */
  status: 421,
  text: 'Only the names of the loopback address are served: localhost, 127.0.0.1 and [::1]\n',
} as const;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Wraps the listener. It receives only requests with a name of the loopback address. Other requests are refused. */
export function onLoopbackOnly(listener: Listener): Listener {
  return (request, response) => {
    if (isLoopbackHost(request.headers.host)) {
      listener(request, response);
      return;
    }
    response.writeHead(foreignHost.status, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(foreignHost.text);
  };
}
