/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/span/layout.h"

#include <string.h>

#include "format/tell.h"

/* ---- Jaeger: documents of Elasticsearch, and what its clients send */
#define JAEGER_DOCUMENT                                                                            \
  "trace=traceID,span=spanID,"                                                                     \
  "parent=references[refType=CHILD_OF].spanID|references.spanID|parentSpanID,"                     \
  "parent_trace=references[refType=CHILD_OF].traceID|references.traceID,"                          \
  "relation=references[refType=CHILD_OF].refType|references.refType,"                              \
  "start:us=startTime,duration:us=duration,service=process.serviceName,name=operationName,"        \
  "kind=tags.span.kind|tag.span@kind,error=tags.error|tag.error,"                                  \
  "status=tags.otel.status_code|tag.otel@status_code,"                                             \
  "host=process.tags.host.name|process.tag.host@name|process.tags.hostname|process.tag.hostname|"  \
  "process.tags.ip|process.tag.ip,tags=tags,tags=tag,tags=process.tags,tags=process.tag"
#define JAEGER_CLIENT                                                                              \
  "trace=traceIdHigh+traceIdLow|traceIdLow,span=spanId,"                                           \
  "parent=parentSpanId|references[refType=CHILD_OF].spanId|references.spanId,"                     \
  "start:us=startTime,duration:us=duration,service=^process.serviceName|process.serviceName,"      \
  "name=operationName,kind=tags.span.kind,error=tags.error,status=tags.otel.status_code,"          \
  "host=^process.tags.hostname|^process.tags.ip,tags=tags"

/* ---- console exporters of OpenTelemetry's SDKs */
#define CONSOLE_PYTHON                                                                             \
  "trace=context.trace_id,span=context.span_id,parent=parent_id,start=start_time,end=end_time,"    \
  "service=resource.attributes.service.name|resource.service.name,name=name,kind=kind,"            \
  "status=status.status_code,host=resource.attributes.host.name|"                                  \
  "resource.attributes.service.instance.id,tags=attributes,tags=resource.attributes"
#define CONSOLE_JS                                                                                 \
  "trace=traceId,span=id,parent=parentSpanContext.spanId|parentId,start:us=timestamp,"             \
  "duration:us=duration,service=resource.attributes.service.name,name=name,kind=kind,"             \
  "status=status.code,host=resource.attributes.host.name,tags=attributes,tags=resource.attributes"

/* Before 1.0: ParentSpanID and StatusCode. */
#define CONSOLE_GO                                                                                 \
  "trace=SpanContext.TraceID,span=SpanContext.SpanID,parent=Parent.SpanID|ParentSpanID,"           \
  "start=StartTime,end=EndTime,service=Resource.service.name,name=Name,kind=SpanKind,"             \
  "status=Status.Code|StatusCode,host=Resource.host.name,tags=Attributes,tags=Resource"

/* ---- tools with recorders of their own */
#define XRAY                                                                                       \
  "trace=trace_id|^trace_id,span=id,parent=parent_id|^id,start:s=start_time,end:s=end_time,"       \
  "service=^^name|name,name=name,kind=namespace|type,error=fault|error,host=aws.ec2.instance_id,"  \
  "tags=annotations,tags=http.request,tags=http.response"
#define DATADOG                                                                                    \
  "trace=trace_id,span=span_id,parent=parent_id,start:ns=start,duration:ns=duration,"              \
  "service=service,name=resource|name,kind=meta.span.kind,error=error,host=meta._dd.hostname,"     \
  "tags=meta"
#define DATADOG_API                                                                                \
  "trace=trace_id,span=span_id,parent=parent_id,start=start_timestamp,end=end_timestamp,"          \
  "duration:ns=custom.duration,service=service,name=resource_name|operation_name,"                 \
  "kind=custom.span.kind,status=status,host=host,tags=custom"
#define ELASTIC                                                                                    \
  "trace=trace.id,span=span.id|transaction.id,parent=parent.id,start:us=timestamp.us,"             \
  "start=@timestamp,duration:us=span.duration.us|transaction.duration.us,service=service.name,"    \
  "name=span.name|transaction.name,kind=span.kind|transaction.type,status=event.outcome,"          \
  "host=host.hostname|host.name|service.node.name,tags=labels"
#define ELASTIC_INTAKE                                                                             \
  "trace=trace_id,span=id,parent=parent_id|transaction_id,start:us=timestamp,duration:ms="         \
  "duration,"                                                                                      \
  "service=context.service.name|$metadata.service.name,name=name,kind=type,status=outcome,"        \
  "host=$metadata.system.hostname|$metadata.system.detected_hostname,tags=context.tags"
#define HONEYCOMB                                                                                  \
  "trace=trace.trace_id,span=trace.span_id,parent=trace.parent_id,"                                \
  "start=timestamp|Timestamp|time|^time,duration:ms=duration_ms,"                                  \
  "service=service.name|service_name|^dataset,name=name,kind=span.kind|span_kind,error=error,"     \
  "host=host.name|meta.local_hostname,tags=*"
#define SKYWALKING                                                                                 \
  "trace=traceId,span=segmentId+spanId,"                                                           \
  "parent=segmentId+parentSpanId|refs.parentSegmentId+refs.parentSpanId,"                          \
  "start:ms=startTime,end:ms=endTime,service=serviceCode,name=endpointName,kind=type,"             \
  "error=isError,host=serviceInstanceName,tags=tags"
#define SKYWALKING_SEGMENT                                                                         \
  "trace=^traceId,span=^traceSegmentId+spanId,"                                                    \
  "parent=^traceSegmentId+parentSpanId|refs.parentTraceSegmentId+refs.parentSpanId,"               \
  "start:ms=startTime,end:ms=endTime,service=^service,name=operationName,kind=spanType,"           \
  "error=isError,host=^serviceInstance,tags=tags"
#define GOOGLE                                                                                     \
  "trace=^traceId|name{traces/},span=spanId,parent=parentSpanId,start=startTime,end=endTime,"      \
  "service=labels.service.name|labels.g.co/gae/app/module|labels./component|"                      \
  "attributes.attributeMap.service.name|attributes.attributeMap.g.co/gae/app/module|^projectId|"   \
  "name{projects/},name=displayName|name,kind=spanKind|kind,error=labels./error/name,"             \
  "tags=labels,tags=attributes.attributeMap"
#define SENTRY                                                                                     \
  "trace=contexts.trace.trace_id|trace_id|^contexts.trace.trace_id,"                               \
  "span=contexts.trace.span_id|span_id,parent=contexts.trace.parent_span_id|parent_span_id,"       \
  "start:s=start_timestamp|startTimestamp,end:s=timestamp|endTimestamp,"                           \
  "service=project_slug|projectSlug|project_name|project|^project_slug|^projectSlug|"              \
  "^project_name|^project|platform|^platform,name=transaction|description|op,"                     \
  "kind=contexts.trace.op|op,status=contexts.trace.status|status,host=server_name|^server_name,"   \
  "tags=tags,tags=data"

/* ---- tables */
#define CLICKHOUSE                                                                                 \
  "trace=TraceId,span=SpanId,parent=ParentSpanId,start=Timestamp,duration:ns=Duration,"            \
  "service=ServiceName,name=SpanName,kind=SpanKind,status=StatusCode,"                             \
  "host=ResourceAttributes.host.name|ResourceAttributes.k8s.pod.name,"                             \
  "tags=SpanAttributes,tags=ResourceAttributes"
#define SIGNOZ                                                                                     \
  "trace=traceID|trace_id,span=spanID|span_id,parent=parentSpanID|parent_span_id,"                 \
  "start=timestamp,duration:ns=durationNano|duration_nano,service=serviceName|"                    \
  "resource_string_service$$name|resources_string.service.name,name=name,"                         \
  "kind=kind|spanKind|kind_string,error=hasError|has_error,status=statusCodeString,"               \
  "host=resources_string.host.name,tags=attributes_string,tags=resources_string,tags=stringTagMap"
#define ALIBABA                                                                                    \
  "trace=traceid,rpc=rpcid|rpc_id,start:ms=timestamp,duration:ms=rt,caller=um,called=dm,"          \
  "name=interface|rpctype,kind=rpctype"
#define ANY_TABLE                                                                                  \
  "trace=traceid|trace_id|trace id|trace.trace_id|context.trace_id|trace.id,"                      \
  "span=spanid|span_id|span id|id|trace.span_id|context.span_id|span.id,"                          \
  "parent=parentspanid|parent_span_id|parentid|parent_id|parentspan|trace.parent_id|parent.id,"    \
  "start=timestamp|start|start_time|starttime|starttimeunixnano|start_time_unix_nano|"             \
  "start_ns|start_us|start_ms|start_time_ns|start_time_us|start_time_ms|timestamp_us|"             \
  "timestamp_ms|time,"                                                                             \
  "end=end|end_time|endtime|endtimeunixnano|end_time_unix_nano|end_ns|end_us|end_ms|"              \
  "end_time_ns|end_time_us|end_time_ms,"                                                           \
  "duration=duration|duration_ns|duration_us|duration_ms|duration_s|durationnano|"                 \
  "duration_nano|duration_nanos|durationms,"                                                       \
  "service=servicename|service_name|service.name|service|resource.service.name,"                   \
  "name=spanname|span_name|operationname|operation_name|name|operation,"                           \
  "kind=spankind|span_kind|kind|span.kind,status=statuscode|status_code|status,"                   \
  "error=error|haserror|has_error,host=host.name|hostname|host|service.instance.id"

/* Where links are. */
#define LINKS_JAEGER .links = "references", .link_trace = "traceID", .link_span = "spanID"
#define LINKS_PYTHON                                                                               \
  .links = "links", .link_trace = "context.trace_id", .link_span = "context.span_id"
#define LINKS_JS .links = "links", .link_trace = "context.traceId", .link_span = "context.spanId"
#define LINKS_GO                                                                                   \
  .links = "Links", .link_trace = "SpanContext.TraceID", .link_span = "SpanContext.SpanID"

#define AT(id_, when_, list_, spans_, ...)                                                         \
  { .id = KNOWN_##id_, .when = (when_), .list = (list_), .spans = (spans_), .columns = __VA_ARGS__ }

#define TABLE(id_, when_, columns_)                                                                \
  { .id = KNOWN_##id_, .when = (when_), .columns = columns_ }

/* Of several that fit the first counts. */
static const struct span_layout layouts[] = {
    AT(JAEGER_STORED, "hits.hits[]._source.traceID", "hits.hits[]", "_source", JAEGER_DOCUMENT,
       LINKS_JAEGER),
    AT(JAEGER_STORED, "_source.traceID", "", "_source", JAEGER_DOCUMENT, LINKS_JAEGER),
    AT(JAEGER_STORED, "[]._source.traceID", "[]", "_source", JAEGER_DOCUMENT, LINKS_JAEGER),
    AT(JAEGER_STORED, "[].traceID", "[]", "", JAEGER_DOCUMENT, LINKS_JAEGER),
    AT(JAEGER_STORED, "traceID", "", "", JAEGER_DOCUMENT, LINKS_JAEGER),
    AT(JAEGER_THRIFT, "spans[].traceIdLow", "", "spans[]", JAEGER_CLIENT),
    AT(JAEGER_THRIFT, NULL, "", "", JAEGER_CLIENT),
    AT(OTEL_CONSOLE, "context.trace_id", "", "", CONSOLE_PYTHON, LINKS_PYTHON),
    AT(OTEL_CONSOLE, "[].context.trace_id", "[]", "", CONSOLE_PYTHON, LINKS_PYTHON),
    AT(OTEL_CONSOLE, "SpanContext.TraceID", "", "", CONSOLE_GO, LINKS_GO),
    AT(OTEL_CONSOLE, "[].SpanContext.TraceID", "[]", "", CONSOLE_GO, LINKS_GO),
    AT(OTEL_CONSOLE, NULL, "", "", CONSOLE_JS, LINKS_JS, .api_kinds = true),
    AT(XRAY, "Traces[].Segments", "Traces[]", "Segments[].Document", XRAY, .nested = "subsegments",
       .outer_kind = SPAN_SERVER),
    AT(XRAY, "[].Segments", "[]", "Segments[].Document", XRAY, .nested = "subsegments",
       .outer_kind = SPAN_SERVER),
    AT(XRAY, "[].trace_id", "[]", "", XRAY, .nested = "subsegments", .outer_kind = SPAN_SERVER),
    AT(XRAY, NULL, "", "", XRAY, .nested = "subsegments", .outer_kind = SPAN_SERVER),
    AT(DATADOG, "[][].span_id", "[]", "[]", DATADOG),
    AT(DATADOG, "[].span_id", "[]", "", DATADOG),
    AT(DATADOG, "traces[][].span_id", "traces[]", "[]", DATADOG),
    AT(DATADOG, "traces[].span_id", "traces[]", "", DATADOG),
    AT(DATADOG, "data[].attributes.trace_id", "data[]", "attributes", DATADOG_API),
    AT(ELASTIC_APM, "hits.hits[]._source", "hits.hits[]", "_source", ELASTIC, .whole = true),
    AT(ELASTIC_APM, "hits.hits[].fields", "hits.hits[]", "fields", ELASTIC, .whole = true),
    AT(ELASTIC_APM, "_source", "", "_source", ELASTIC, .whole = true),
    AT(ELASTIC_APM, "metadata | transaction.trace_id & transaction.span_count", "",
       "transaction|span", ELASTIC_INTAKE, .whole = true),
    AT(ELASTIC_APM, "[].processor.event", "[]", "", ELASTIC, .whole = true),
    AT(ELASTIC_APM, NULL, "", "", ELASTIC, .whole = true),
    AT(HONEYCOMB, "[].data.trace.trace_id", "[]", "data", HONEYCOMB),
    AT(HONEYCOMB, "data.trace.trace_id", "", "data", HONEYCOMB),
    AT(HONEYCOMB, "[].trace.trace_id", "[]", "", HONEYCOMB),
    AT(HONEYCOMB, NULL, "", "", HONEYCOMB),
    AT(SKYWALKING, "data.trace.spans", "data.trace.spans[]", "", SKYWALKING),
    AT(SKYWALKING, "data.queryTrace.spans", "data.queryTrace.spans[]", "", SKYWALKING),
    AT(SKYWALKING, "[].traceSegmentId", "[]", "spans[]", SKYWALKING_SEGMENT),
    AT(SKYWALKING, "traceSegmentId", "", "spans[]", SKYWALKING_SEGMENT),
    AT(GOOGLE_TRACE, "traces[].spans", "traces[]", "spans[]", GOOGLE),
    AT(GOOGLE_TRACE, "spans", "", "spans[]", GOOGLE),
    AT(SENTRY, "[].contexts.trace", "[]", "", SENTRY, .nested = "spans"),
    AT(SENTRY, NULL, "", "", SENTRY, .nested = "spans"),
    AT(SPAN_ROWS, "data[].TraceId", "data[]", "", CLICKHOUSE),
    AT(SPAN_ROWS, "[].TraceId", "[]", "", CLICKHOUSE),
    AT(SPAN_ROWS, "TraceId", "", "", CLICKHOUSE),
    AT(SPAN_ROWS, "[].durationNano | [].duration_nano", "[]", "", SIGNOZ),
    AT(SPAN_ROWS, "data[].durationNano | data[].duration_nano", "data[]", "", SIGNOZ),
    AT(SPAN_ROWS, "durationNano | duration_nano", "", "", SIGNOZ),
};

/* A table of times with ids of spans is one of spans, where spans are asked for. */
static const struct span_layout tables[] = {
    TABLE(SPAN_TABLE, "traceid,spanid,spanname,timestamp,duration,servicename", CLICKHOUSE),
    TABLE(SPAN_TABLE, "traceid,rpcid,um,rt", ALIBABA),
    TABLE(SPAN_TABLE, "traceid,rpc_id,um,rt", ALIBABA),
    TABLE(SPAN_TABLE, NULL, ANY_TABLE),
    TABLE(HONEYCOMB, NULL, HONEYCOMB),
    TABLE(VALUES, "trace.trace_id,trace.span_id", HONEYCOMB),
    TABLE(VALUES, "trace_id,span_id", ANY_TABLE),
    TABLE(VALUES, "traceid,spanid", ANY_TABLE),
    TABLE(JOINT, "trace_id,span_id", ANY_TABLE),
    TABLE(JOINT, "traceid,spanid", ANY_TABLE),
};

static const struct span_layout *find_table(enum format_id id,
                                            const struct format_beginning *beginning) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].id == id &&
        (tables[i].when == NULL || format_has_columns(beginning, tables[i].when)))
      return &tables[i];
  return NULL;
}

const struct span_layout *layout_find(enum format_id id, const struct format_beginning *beginning) {
  if (!beginning->paths.json)
    return find_table(id, beginning);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (layouts[i].id == id &&
        (layouts[i].when == NULL || format_paths_meet(&beginning->paths, layouts[i].when)))
      return &layouts[i];
  return NULL;
}

/* ---- where the columns that are given are */

/* What stands before the path: "hits.hits[]._source." of "hits.hits[]._source.trace". */
static bool find_before(struct slice *before, const struct format_paths *paths, struct slice path) {
  for (size_t i = 0; i < paths->all.count; i++) {
    const struct format_path *known = &paths->all.data[i];
    const char *text = paths->texts.data + known->start;
    if (known->length < path.length)
      continue;
    size_t length = known->length - path.length;
    bool is_end = memcmp(text + length, path.start, path.length) == 0;
    if (is_end && (length == 0 || text[length - 1] == '.')) {
      *before = (struct slice){text, length == 0 ? 0 : length - 1};
      return true;
    }
  }
  return false;
}

bool layout_of_columns(struct span_layout *layout, struct text room[2],
                       const struct span_columns *columns,
                       const struct format_beginning *beginning) {
  for (size_t i = 0; i < columns->sources.count; i++) {
    struct slice before;
    if (columns->sources.data[i].role != COLUMN_TRACE ||
        !find_before(&before, &beginning->paths, columns->sources.data[i].path))
      continue;
    size_t list = 0;
    for (size_t k = 0; k + 1 < before.length && list == 0; k++)
      list = before.start[k] == '[' ? k + 2 : 0;
    size_t spans = list < before.length && before.start[list] == '.' ? list + 1 : list;
    text_append_bytes(&room[0], before.start, list);
    text_append_bytes(&room[1], before.start + spans, before.length - spans);
    layout->list = text_get(&room[0]);
    layout->spans = text_get(&room[1]);
    return true;
  }
  return false;
}
