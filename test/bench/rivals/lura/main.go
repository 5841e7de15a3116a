// KrakenD's engine with no duties: no credential, no limit, no log, no metrics. It lists users as `/v1/users`, which reads
// the legacy service through the engine's own stack, and as `/kept/v1/users`, whose backend answers from memory, as with
// KrakenD's HTTP cache. Both decode the reply, leave fields out, rename, and encode: the engine keeps replies, not answers.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/luraproject/lura/v2/config"
	"github.com/luraproject/lura/v2/logging"
	"github.com/luraproject/lura/v2/proxy"
	lura "github.com/luraproject/lura/v2/router/gin"
	"github.com/luraproject/lura/v2/transport/http/client"
)

const keptPath = "/kept/v1/users"
const limit = 50

// What is renamed and what is returned, at the top of the reply: the engine has nothing for the fields of a list's rows
// but flatmap, which takes much longer.
func endpoint(path string) *config.EndpointConfig {
	return &config.EndpointConfig{
		Endpoint:    path,
		Method:      http.MethodGet,
		QueryString: []string{"page"},
		Backend: []*config.Backend{{
			URLPattern: "/users",
			AllowList:  []string{"rows", "total"},
			Mapping:    map[string]string{"rows": "data"},
		}},
	}
}

// Asks for the window of the page that the caller asked for.
func paged(next proxy.Proxy) proxy.Proxy {
	return func(ctx context.Context, request *proxy.Request) (*proxy.Response, error) {
		page := 1
		if asked := request.Query["page"]; len(asked) > 0 {
			page, _ = strconv.Atoi(asked[0])
		}
		window := url.Values{"offset": {strconv.Itoa((page - 1) * limit)}, "limit": {strconv.Itoa(limit)}}
		request.URL.RawQuery = window.Encode()
		return next(ctx, request)
	}
}

// Sends a request once, and from then on answers as its reply did.
func keeping(send client.HTTPRequestExecutor) client.HTTPRequestExecutor {
	var once sync.Once
	var kept []byte
	var failed error
	return func(ctx context.Context, request *http.Request) (*http.Response, error) {
		once.Do(func() {
			reply, err := send(ctx, request)
			if err == nil {
				defer reply.Body.Close()
				kept, err = io.ReadAll(reply.Body)
			}
			failed = err
		})
		if failed != nil {
			return nil, failed
		}
		body := io.NopCloser(bytes.NewReader(kept))
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: request}, nil
	}
}

func backend(remote *config.Backend) proxy.Proxy {
	send := client.DefaultHTTPRequestExecutor(client.NewHTTPClient)
	if remote.ParentEndpoint == keptPath {
		send = keeping(send)
	}
	return paged(proxy.NewHTTPProxyWithHTTPExecutor(remote, send, remote.Decoder))
}

// Listens on a free port of loopback and says which.
func serve(_ context.Context, _ config.ServiceConfig, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	return http.Serve(listener, handler)
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	service := config.ServiceConfig{
		Version:   config.ConfigVersion,
		Host:      []string{os.Getenv("UPSTREAM_URL")},
		Timeout:   5 * time.Second,
		Endpoints: []*config.EndpointConfig{endpoint("/v1/users"), endpoint(keptPath)},
	}
	if err := service.Init(); err != nil {
		log.Fatal(err)
	}
	lura.NewFactory(lura.Config{
		Engine:         gin.New(),
		HandlerFactory: lura.EndpointHandler,
		ProxyFactory:   proxy.NewDefaultFactory(backend, logging.NoOp),
		Logger:         logging.NoOp,
		RunServer:      serve,
	}).New().Run(service)
}
