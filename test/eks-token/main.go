// Verifies tokens for EKS clusters with the code of aws-iam-authenticator, which EKS runs. Reads one JSON case per line
// and prints one JSON result per line. STS is a stand-in in this process, on loopback with TLS. It signs each request
// again with the AWS SDK for Go and compares the signatures.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/sirupsen/logrus"
	"sigs.k8s.io/aws-iam-authenticator/pkg/token"
)

const (
	dateFormat = "20060102T150405Z"
	// The SHA-256 of an empty body.
	emptyBody = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	account   = "123456789012"
)

type tokenCase struct {
	Token     string
	ClusterID string
	Partition string
	Region    string
}

type result struct {
	ARN     string   `json:"arn,omitempty"`
	Refusal string   `json:"refusal,omitempty"`
	Asked   []string `json:"asked"`
}

// sts knows one set of credentials.
type sts struct {
	credentials aws.Credentials
	asked       []string
}

func main() {
	logrus.SetOutput(io.Discard)
	service := &sts{credentials: aws.Credentials{
		AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
	}}
	server := httptest.NewTLSServer(service)
	defer server.Close()
	http.DefaultTransport = dialling(server)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var each tokenCase
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer, _ := json.Marshal(service.verify(each))
		fmt.Println(string(answer))
	}
}

// dialling returns a transport whose connections all go to the stand-in. The host of a request stays that of its URL.
func dialling(server *httptest.Server) *http.Transport {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"},
	}
}

func (s *sts) verify(each tokenCase) result {
	s.asked = []string{}
	identity, err := token.NewVerifier(each.ClusterID, each.Partition, each.Region).Verify(each.Token)
	if err != nil {
		return result{Refusal: err.Error(), Asked: s.asked}
	}
	return result{ARN: identity.ARN, Asked: s.asked}
}

func (s *sts) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	s.asked = append(s.asked, request.Host)
	if problem := s.check(request); problem != "" {
		answer.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(answer, `{"Error":{"Code":%q,"Type":"Sender"}}`, problem)
		return
	}
	fmt.Fprintf(answer, `{"GetCallerIdentityResponse":{"GetCallerIdentityResult":{"Account":%q,"Arn":"arn:aws:sts::%s:assumed-role/function/session","UserId":"AROAEXAMPLE:session"},"ResponseMetadata":{"RequestId":"1"}}}`, account, account)
}

// check returns the error code of STS, or nothing.
func (s *sts) check(request *http.Request) string {
	query := request.URL.Query()
	signedAt, err := time.Parse(dateFormat, query.Get("X-Amz-Date"))
	if err != nil {
		return "IncompleteSignature"
	}
	if time.Since(signedAt).Abs() > 15*time.Minute {
		return "RequestExpired"
	}
	scope := strings.Split(query.Get("X-Amz-Credential"), "/")
	if len(scope) != 5 || scope[0] != s.credentials.AccessKeyID || query.Get("X-Amz-Security-Token") != s.credentials.SessionToken {
		return "InvalidClientTokenId"
	}
	if scope[2] != strings.Split(request.Host, ".")[1] {
		return "SignatureDoesNotMatch"
	}
	expected, err := s.sign(request, scope[2], signedAt)
	if err != nil || expected.Get("X-Amz-Signature") != query.Get("X-Amz-Signature") {
		return "SignatureDoesNotMatch"
	}
	return ""
}

// sign signs the request as if it came without a signature, with each header that the signature names.
func (s *sts) sign(request *http.Request, region string, at time.Time) (url.Values, error) {
	query := url.Values{}
	for name, values := range request.URL.Query() {
		if !strings.HasPrefix(name, "X-Amz-") || name == "X-Amz-Expires" {
			query[name] = values
		}
	}
	unsigned, err := http.NewRequest(http.MethodGet, "https://"+request.Host+request.URL.Path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(request.URL.Query().Get("X-Amz-SignedHeaders"), ";") {
		if name != "host" {
			unsigned.Header.Set(name, request.Header.Get(name))
		}
	}
	signed, _, err := v4.NewSigner().PresignHTTP(context.Background(), s.credentials, unsigned, emptyBody, "sts", region, at)
	if err != nil {
		return nil, err
	}
	parsed, err := url.Parse(signed)
	if err != nil {
		return nil, err
	}
	return parsed.Query(), nil
}
