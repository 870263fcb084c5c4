// The objects that sessions create.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { widgetKind } from '../api-case.ts';

const apiVersion = widgetKind.apiVersion;

/** Returns the manifest of a widget. */
export function aWidgetNamed(name: string, spec: JsonObject = { size: 1 }, metadata: JsonObject = {}): string {
  return JSON.stringify({ ...widgetKind, metadata: { name, ...metadata }, spec });
}

export function aFleetNamed(name: string, replicas: number): string {
  return JSON.stringify({ apiVersion, kind: 'Fleet', metadata: { name }, spec: { replicas } });
}

export function aGizmoNamed(name: string, spec: JsonObject): string {
  return JSON.stringify({ apiVersion, kind: 'Gizmo', metadata: { name }, spec });
}

export function aConfigMapNamed(name: string, data: JsonObject): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
}

/** Returns the documents in one text, as in a file with several. */
export function together(...manifests: readonly string[]): string {
  return manifests.join('\n---\n');
}

/** The event that a controller writes about a widget. */
export function anEventAbout(widget: string, namespace: string): string {
  const involvedObject = { ...widgetKind, name: widget, namespace };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${widget}.1` },
    involvedObject,
    reason: 'Painted',
    message: 'The widget is blue',
    type: 'Normal',
    source: { component: 'painter' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 2,
  });
}
