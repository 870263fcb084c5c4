// Patterns of names and labels, as sources of regular expressions without anchors. Lengths are limited elsewhere.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/names/

/** A label of RFC 1123, for example the name of a namespace. */
export const dnsLabelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** A label of RFC 1035, for example the name of a Service. */
export const dns1035LabelPattern = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** A subdomain of RFC 1123, for example the name of most objects. */
export const dnsSubdomainPattern = `${dnsLabelPattern}(\\.${dnsLabelPattern})*`;

/** The name part of a label key. Also the value of a label that is not empty. */
export const qualifiedNamePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
