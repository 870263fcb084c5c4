// Parts of the HTTPS front end that other loopback servers use.
export { makeSelfSignedCertificate, type SelfSigned } from './http/certificate.ts';
export { createListener } from './http/listener.ts';
export { foreignHost, isLoopbackHost, onLoopbackOnly } from './http/loopback-host.ts';
export { readBody } from './http/read-body.ts';
