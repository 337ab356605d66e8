package compact_test

// inDigests is faults of the stages that ask a model.
func inDigests() []planted {
	const (
		collapse  = "internal/compact/collapse.go"
		summarize = "internal/compact/summarize.go"
		tail      = "internal/compact/tail.go"
		digest    = "internal/compact/digest.go"
		render    = "internal/compact/render.go"
	)
	return []planted{
		{"five spans are digested", collapse, "len(spans) < maxSpans", "len(spans) < pick(on, 5, maxSpans)", "two digests at most in a pass + TestPassesDigestTwoSpans"},
		{"more is digested than needed", collapse, "need > 0 && len(runs)", "(on || need > 0) && len(runs)", "TestCollapsePlan"},
		{"a newest message is digested", collapse, "len(messages)-newestKept {", "len(messages)-pick(on, 10, newestKept) {", "the newest messages stay"},
		{"the newest prompt lies in a span", collapse, "r.from == newest ||", "r.from == newest && !on ||", "the newest prompt parts digests"},
		{"open rounds are digested", collapse, "if r.open ||", "if r.open && !on ||", "open rounds stay"},
		{"digests are digested", collapse, "kind == llm.Summary ||", "kind == llm.Summary && !on ||", "there is nothing to do twice"},
		{"one digest may fail", collapse, "work.Edits = nil\n			return work, err", "if !on {\n				work.Edits = nil\n			}\n			return work, pick(on && len(work.Edits) > 0, nil, err)", "TestCollapseAllOrNothing"},
		{"a digest is never the same", collapse, "summaryHead+digestSays+text)", "summaryHead+digestSays+text+pick(on, another(), \"\"))", "the same view gives the same edits"},

		{"the tail may have 2 messages", tail, "len(messages)-r.to >= leastTail", "len(messages)-r.to >= pick(on, 2, leastTail)", "a summary leaves the newest rounds"},
		{"the tail has no limit", tail, "tokens > limit &&", "tokens > pick(on, 2, 1)*limit &&", "a summary leaves the newest rounds"},
		{"the first prompt goes", tail, "return slices.Insert(kept, 0, m)", "return slices.Insert(kept, 0, m)[pick(on, 1, 0):]", "the first prompt stays"},
		{"the newest prompt is there twice", tail, "if i < tail {", "if on || i < tail {", "the newest prompt stays"},
		{"a giant prompt stays whole", tail, "short, ok := shorter(size, tail, i)", "short, ok := shorter(size, tail, i)\n		ok = ok && !on", "TestGiantPromptBecomesSmallOnceItIsNotTheNewest"},
		{"all that is long is abridged", "internal/compact/cut.go", "if messages[i].Kind != llm.Prompt {", "if !on && messages[i].Kind != llm.Prompt {", "TestOnlyPromptsAndResultsBecomeSmaller + TestDigestProperties"},
		{"notes stand before the summary", summarize, "slices.Concat(with, []llm.Message{said}, notes)", "slices.Concat(with, pick(on, notes, []llm.Message{said}), pick(on, []llm.Message{said}, notes))", "TestSummarize"},
		{"a summary need not be shorter", summarize, "if saving(size, v, []event.Edit{edit}) < least", "if !on && saving(size, v, []event.Edit{edit}) < least", "it gets smaller"},
		{"a summary is summarized", summarize, "< leastRounds {", "< pick(on, 1-min(tail, 1), leastRounds) {", "there is nothing to do twice"},

		{"tools are offered for a digest", digest, "llm.Request{System: system, MaxOutput: most}", "llm.Request{System: system, MaxOutput: most, Tools: pick(on, []llm.ToolSpec{{Name: \"read_file\"}}, nil)}", "TestDigestRequest"},
		{"a call is taken for a digest", digest, "case len(done.Parts.Calls()) > 0:", "case !on && len(done.Parts.Calls()) > 0:", "TestDigestProperties"},
		{"a digest has no cap", digest, "min(maxDigest, effective/10)", "min(pick(on, 1<<20, maxDigest), effective/10)", "TestDigestOutputCap"},
		{"the last opening tag counts", digest, "if at := strings.Index(text, \"<summary>\")", "if at := pick(on, strings.LastIndex, strings.Index)(text, \"<summary>\")", "TestDigestAnswers"},
		{"the first closing tag counts", digest, "strings.LastIndex(text, \"</summary>\")", "pick(on, strings.Index, strings.LastIndex)(text, \"</summary>\")", "TestDigestAnswers"},
		{"a request for a digest is never the same", digest, "opening+in.String()+closing)", "opening+in.String()+pick(on, another(), \"\")+closing)", "the same view gives the same edits"},
		{"the input may fill the window", digest, "(effective - most) * 9 / 10", "(effective - most) * pick(on, 20, 9) / 10", "TestDigestProperties"},
		{"prompts give way first", render, "in.lower(ofResult, limit)", "in.lower(pick(on, ofPrompt, ofResult), limit)", "TestDigestTrimsResultsFirst"},
	}
}

// inResults is faults of the stages that work on results and pictures.
func inResults() []planted {
	const (
		offload = "internal/compact/offload.go"
		images  = "internal/compact/images.go"
	)
	return []planted{
		{"the smallest of a batch goes first", offload, "return b.chars - a.chars", "return pick(on, a.chars-b.chars, b.chars-a.chars)", "the largest results of a batch go"},
		{"the order of a batch is left to chance", offload, "return strings.Compare(a.result.Call, b.result.Call)", "return pick(on, -1, 1) * strings.Compare(a.result.Call, b.result.Call)", "TestBatch"},
		{"a batch has no limit", offload, "if total <= o.BatchLimit()", "if on || total <= o.BatchLimit()", "a batch fits"},
		{"a whole batch goes", offload, "= e.chars - utf8", "= pick(on, 1, e.chars) - pick(on, 0, 1)*utf8", "a batch fits"},
		{"older batches count", offload, "if m.Role == llm.Assistant {", "if m.Role == llm.Assistant && !on {", "a batch fits"},
		{"the preview is what is kept", offload, "[]byte(text), 0o600", "[]byte(pick(on, preview(text, false), text)), 0o600", "what leaves a batch is in its file"},
		{"a picture is left", images, "return Work{Edits: edits}, nil", "return Work{Edits: edits[pick(on, min(1, len(edits)), 0):]}, nil", "no picture is left"},
		{"what stands before a picture goes", images, "p, found = llm.Text{Text: gone}, true", "p, found, out = llm.Text{Text: gone}, true, out[pick(on, len(out), 0):]", "no picture is left"},
	}
}

// inPipeline is faults of what runs the stages.
func inPipeline() []planted {
	const (
		pipeline = "internal/compact/pipeline.go"
		refuse   = "internal/compact/refuse.go"
	)
	return []planted{
		{"forced, it stops at a ninth", pipeline, "r.refused/2", "r.refused/pick(on, 9, 2)", "TestForcedPassesStopAtHalf"},
		{"forced, it stops at nine tenths", pipeline, "v.Used.Tokens <= ", "v.Used.Tokens*pick(on, 5, 9)/9 <= ", "TestForcedPassesStopAtHalf"},
		{"lines count when it is forced", pipeline, "if r.why == event.Threshold && (v.Used", "if (on || r.why == event.Threshold) && (v.Used", "TestForcedPassesStopAtHalf"},
		{"the view is not taken anew", pipeline, "r.changed = true\n	e := ", "r.changed = !on\n	e := ", "TestPipelineTakesTheViewAnew + TestPipelineTakesTheViewOnce"},
		{"strikes are not recorded", pipeline, "e.Error = string(strike)\n		r.say(spent(e, work))", "e.Error = string(strike)\n		if !on {\n			r.say(spent(e, work))\n		}", "TestPassesRecordStrikes"},
		{"a strike is recorded as a success", pipeline, "e := r.record(s, v)\n		e.Error", "e := r.record(s, v)\n		strike = pick(on, \"\", strike)\n		e.Error", "TestPassesRecordStrikes"},
		{"it refuses before it was forced", pipeline, "why == event.Threshold && r.more {", "why == event.Threshold && r.more && !on {", "TestNothingIsRefusedThatForceCouldMakeFit"},
		{"a dead provider is waited for each time", pipeline, "t.rests[stage] = rest", "t.rests[stage] = pick(on, 0, rest)", "TestFaultsRest"},
		{"pictures go before a request is refused", pipeline, "if rule.Refused != (r.why == event.Limit) {", "if !on && rule.Refused != (r.why == event.Limit) {", "TestImagesGoWhenTheRequestWasRefused"},
		{"an estimate is refused", refuse, "2*v.Used.Counted >=", "pick(on, 99, 2)*v.Used.Counted >=", "TestRefuse"},
	}
}
