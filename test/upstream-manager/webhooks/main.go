// Answers admission reviews with the webhooks of upstream's core manager, and computes desired states of topologies,
// without an API server and a network: one request in JSON per line of standard input, one response per line of standard
// output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	addonsv1beta1 "sigs.k8s.io/cluster-api/api/addons/v1beta1"
	addonsv1 "sigs.k8s.io/cluster-api/api/addons/v1beta2"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ipamv1alpha1 "sigs.k8s.io/cluster-api/api/ipam/v1alpha1"
	ipamv1beta1 "sigs.k8s.io/cluster-api/api/ipam/v1beta1"
	ipamv1 "sigs.k8s.io/cluster-api/api/ipam/v1beta2"
	runtimev1alpha1 "sigs.k8s.io/cluster-api/api/runtime/v1alpha1"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	coreadmission "sigs.k8s.io/cluster-api/core/webhooks/admission"
	"sigs.k8s.io/cluster-api/feature"
)

// request is one line of the input. objects are what the API server stores.
type request struct {
	Path    string                   `json:"path"`
	Body    string                   `json:"body"`
	Objects []map[string]interface{} `json:"objects"`
}

type response struct {
	Code int    `json:"code"`
	Body string `json:"body"`
}

// stored implements the reads of the webhooks.
type stored struct {
	scheme  *runtime.Scheme
	objects []*unstructured.Unstructured
}

func (s *stored) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(into, s.scheme)
	if err != nil {
		return err
	}
	for _, object := range s.objects {
		if object.GroupVersionKind().GroupKind() == gvk.GroupKind() && client.ObjectKeyFromObject(object) == key {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into)
		}
	}
	return apierrors.NewNotFound(resourceOf(gvk), key.Name)
}

// resourceOf returns the name as upstream's cache prints it: the kind.
func resourceOf(gvk schema.GroupVersionKind) schema.GroupResource {
	return schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}
}

func (s *stored) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(list, s.scheme)
	if err != nil {
		return err
	}
	kind := strings.TrimSuffix(gvk.Kind, "List")
	wanted := client.ListOptions{}
	wanted.ApplyOptions(options)
	items := []runtime.Object{}
	for _, object := range s.objects {
		if object.GetKind() != kind || (wanted.Namespace != "" && object.GetNamespace() != wanted.Namespace) {
			continue
		}
		if !isSelected(object, wanted) {
			continue
		}
		typed, err := s.scheme.New(gvk.GroupVersion().WithKind(kind))
		if err != nil {
			return err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
			return err
		}
		items = append(items, typed)
	}
	return meta.SetList(list, items)
}

// isSelected knows one index: that of Clusters by their class.
func isSelected(object *unstructured.Unstructured, wanted client.ListOptions) bool {
	if wanted.LabelSelector != nil && !wanted.LabelSelector.Matches(labelsOf(object)) {
		return false
	}
	if wanted.FieldSelector == nil || wanted.FieldSelector.Empty() {
		return true
	}
	name, _, _ := unstructured.NestedString(object.Object, "spec", "topology", "classRef", "name")
	namespace, _, _ := unstructured.NestedString(object.Object, "spec", "topology", "classRef", "namespace")
	if namespace == "" {
		namespace = object.GetNamespace()
	}
	for _, requirement := range wanted.FieldSelector.Requirements() {
		if requirement.Value != namespace+"/"+name {
			return false
		}
	}
	return true
}

type labelSet map[string]string

func (l labelSet) Has(label string) bool   { _, found := l[label]; return found }
func (l labelSet) Get(label string) string { return l[label] }
func (l labelSet) Lookup(label string) (string, bool) {
	value, found := l[label]
	return value, found
}

func labelsOf(object *unstructured.Unstructured) labelSet { return object.GetLabels() }

// registrations is the part of a manager that webhooks need to be set up.
type registrations struct {
	ctrl.Manager
	scheme     *runtime.Scheme
	server     webhook.Server
	converters conversion.Registry
}

func (r *registrations) GetScheme() *runtime.Scheme                { return r.scheme }
func (r *registrations) GetConfig() *rest.Config                   { return &rest.Config{} }
func (r *registrations) GetWebhookServer() webhook.Server          { return r.server }
func (r *registrations) GetConverterRegistry() conversion.Registry { return r.converters }
func (r *registrations) GetLogger() logr.Logger                    { return logr.Discard() }

type set interface {
	SetupWebhookWithManager(ctrl.Manager) error
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme,
		clusterv1beta1.AddToScheme, clusterv1.AddToScheme,
		addonsv1beta1.AddToScheme, addonsv1.AddToScheme,
		runtimev1alpha1.AddToScheme, runtimev1.AddToScheme,
		ipamv1alpha1.AddToScheme, ipamv1beta1.AddToScheme, ipamv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

func run() error {
	gates := flag.String("feature-gates", "", "as of the manager")
	flag.Parse()
	if err := feature.MutableGates.Set(*gates); err != nil {
		return err
	}
	ctrl.SetLogger(logr.Discard())
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	reader := &stored{scheme: scheme}
	mux := http.NewServeMux()
	manager := &registrations{
		scheme:     scheme,
		server:     webhook.NewServer(webhook.Options{WebhookMux: mux}),
		converters: conversion.NewRegistry(),
	}
	for _, each := range []set{
		&coreadmission.ClusterClass{Client: reader},
		&coreadmission.Cluster{Client: reader},
		&coreadmission.Machine{},
		&coreadmission.MachineSet{},
		&coreadmission.MachineDeployment{},
		&coreadmission.MachineDrainRule{},
		&coreadmission.MachinePool{},
		&coreadmission.ClusterResourceSet{},
		&coreadmission.ClusterResourceSetBinding{},
		&coreadmission.MachineHealthCheck{},
		&coreadmission.ExtensionConfig{},
		&coreadmission.IPAddress{Client: reader},
		&coreadmission.IPAddressClaim{},
	} {
		if err := each.SetupWebhookWithManager(manager); err != nil {
			return err
		}
	}
	// Without a runtime client, the generator refuses the gate RuntimeSDK. Admission reviews need no generator.
	if !feature.Gates.Enabled(feature.RuntimeSDK) {
		desired, err := newDesiredStates(reader)
		if err != nil {
			return err
		}
		mux.Handle(desiredStatePath, desired)
	}
	return answer(mux, reader)
}

func answer(mux *http.ServeMux, reader *stored) error {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 {
			return out.Flush()
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		reader.objects = nil
		for _, object := range asked.Objects {
			reader.objects = append(reader.objects, &unstructured.Unstructured{Object: object})
		}
		posted := httptest.NewRequest(http.MethodPost, asked.Path, strings.NewReader(asked.Body))
		posted.Header.Set("Content-Type", "application/json")
		recorded := httptest.NewRecorder()
		mux.ServeHTTP(recorded, posted)
		text, err2 := json.Marshal(response{Code: recorded.Code, Body: recorded.Body.String()})
		if err2 != nil {
			return err2
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
		if lines.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if err != nil {
			return out.Flush()
		}
	}
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
